"""The fixtures of tracking, for studies of it."""

from tests.methods.tracking.conftest import biped, standing

__all__ = ["biped", "standing"]
