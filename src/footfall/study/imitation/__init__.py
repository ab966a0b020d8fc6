"""Imitation: a captured clip becomes a controller that tracks it, with gains found by search, and a report on it."""
