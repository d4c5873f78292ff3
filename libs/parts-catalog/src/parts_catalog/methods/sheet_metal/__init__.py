"""Laser cutting and bending of sheet metal."""
