"""From build123d objects to data."""
