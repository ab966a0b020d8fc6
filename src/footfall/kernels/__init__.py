"""How Warp compiles kernels, where compiled ones are kept, and those that come with footfall."""
