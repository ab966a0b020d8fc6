"""The fixtures of tracking, for its reproduction."""

from tests.methods.tracking.conftest import biped, clips, standing

__all__ = ["biped", "clips", "standing"]
