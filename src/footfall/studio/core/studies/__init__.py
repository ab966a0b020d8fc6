"""Studies and searches in a process of their own."""
