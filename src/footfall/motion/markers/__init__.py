"""Paths of optical markers, and the skeleton that they tell of."""
