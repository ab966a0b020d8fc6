"""The gait laboratory: events, parameters, angles, moments, powers and forces of any walk, beside those of people."""
