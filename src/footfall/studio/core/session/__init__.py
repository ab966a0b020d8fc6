"""A session: the walker, its controllers, its time and its past."""
