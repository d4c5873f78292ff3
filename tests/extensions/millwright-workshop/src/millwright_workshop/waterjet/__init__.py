"""Cutting plates by a jet of water and sand."""
