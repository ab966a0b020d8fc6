"""3D gaits found by search: goals as data, candidates as worlds, pushes that grow as the search succeeds."""
