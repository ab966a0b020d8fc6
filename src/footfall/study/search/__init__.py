"""Search: controllers found by optimisation and continuation."""
