"""Trials: candidates walk from disturbed starts and are pushed; one bench, one ladder of pushes, one judge."""
