"""Controllers in C."""
