"""Exact measures, meshes and collision shapes of CAD solids."""
