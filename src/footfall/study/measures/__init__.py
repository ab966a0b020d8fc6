"""The measures of a walk: one table, and the functions that its rows name."""
