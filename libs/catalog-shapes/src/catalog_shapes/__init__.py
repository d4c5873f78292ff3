"""Geometry of bought parts."""
