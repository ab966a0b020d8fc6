"""SIMBICON in space (Yin, Loken, van de Panne 2007)."""
