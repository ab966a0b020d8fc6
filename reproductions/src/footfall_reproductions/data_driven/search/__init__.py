"""The searches that found the gains which footfall ships for tracked motion, and the figure's own."""
