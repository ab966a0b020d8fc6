"""Parts of SIMBICON's law: small Warp functions, each tested by itself, each idea in a file of its own."""
