"""Cutting, joining and displacing motions."""
