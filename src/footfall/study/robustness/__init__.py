"""Robustness: pushes, push maps and one battery of tests for every controller."""
