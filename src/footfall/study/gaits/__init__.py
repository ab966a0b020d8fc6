"""Gaits in space found by search: goals as data, candidates as worlds, pushes that grow as the search succeeds."""
