"""What was simulated: samples, footprints, states to go on from."""
