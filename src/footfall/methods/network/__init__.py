"""Networks as laws: a small neural network that corrects a controller's numbers, or sets the targets of joints' servos,
fused into the rollout like every other law."""
