"""Captured motion on another body."""
