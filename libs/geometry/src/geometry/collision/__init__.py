"""Convex collision shapes for a solid, verified against its surface."""
