"""Property-based tests try the same examples on every run, for as long as they take."""

from hypothesis import settings

settings.register_profile("footfall", deadline=None, derandomize=True)
settings.load_profile("footfall")
