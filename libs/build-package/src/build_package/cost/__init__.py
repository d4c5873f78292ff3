"""What a shop would charge: minutes of work, and unit prices by quantity."""
