"""Plane sections of solids: along their axes, at their weakest places, and the cores of prints."""
