"""Sweeps: experiments over designs of many worlds."""
