"""What a cell that answers a spatial question works with: frames, per-frame containers, and `tools`."""
