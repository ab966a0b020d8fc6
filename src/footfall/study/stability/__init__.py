"""Stability: return maps, basins of attraction, bifurcations, stable step sizes."""
