"""Feedback error learning, run to its end."""
