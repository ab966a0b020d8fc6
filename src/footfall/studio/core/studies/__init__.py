"""Studies in a process of their own: the push rose and the basin of attraction."""
