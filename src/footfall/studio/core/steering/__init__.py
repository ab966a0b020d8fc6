"""Pushes, pulls, gaits, speeds, headings and paths."""
