"""Scalable closed-form walking (Faraji and Ijspeert 2018)."""
