"""What is simulated: a world for every kind of controller, and what can be done with it."""
