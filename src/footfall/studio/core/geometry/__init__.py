"""Where bodies are: kinematics, headings, rays that meet the ground, forces to draw."""
