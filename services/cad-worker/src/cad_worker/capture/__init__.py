"""Capture of designs as data, from build123d objects."""
