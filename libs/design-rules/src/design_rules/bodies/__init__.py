"""Named solids: their measures, distances, joints between them, and collision shapes."""
