"""What may come of a file with mistakes."""

__all__ = ["REFUSED", "SKIPPED", "TAKEN"]

TAKEN, REFUSED, SKIPPED = "taken", "refused", "skipped"
"""SKIPPED: it would need a kernel that is not compiled."""
