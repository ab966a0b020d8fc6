"""Transitions between controllers: which ones work, and when to request them."""
