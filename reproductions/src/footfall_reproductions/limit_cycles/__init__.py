"""Limit cycle control of walking (Laszlo 1996)."""
