"""Limit-cycle control of simulated walkers."""
