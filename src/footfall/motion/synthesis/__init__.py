"""New motion from captured motion: periodic cycles, principal components, motion graphs."""
