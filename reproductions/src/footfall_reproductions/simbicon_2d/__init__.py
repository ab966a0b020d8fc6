"""SIMBICON in the plane (Yin, Loken, van de Panne 2007)."""
