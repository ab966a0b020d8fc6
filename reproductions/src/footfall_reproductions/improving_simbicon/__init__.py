"""Improving SIMBICON (Zhang)."""
