"""Learning: worlds in which policies act, what they observe and what rewards them, and proximal policy optimisation."""
