"""Limit-cycle control (Laszlo 1996): perturbations, regulation variables and the discrete system model."""
