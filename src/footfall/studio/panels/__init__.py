"""What the studio lets one turn, press and read."""
