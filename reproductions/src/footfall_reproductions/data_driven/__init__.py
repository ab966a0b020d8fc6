"""Data-Driven Biped Control (Lee, Kim, Lee 2010)."""
