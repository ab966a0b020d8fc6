"""Skeletons: trees of joints, the roles of their joints, their bodies, and the figures behind them."""
