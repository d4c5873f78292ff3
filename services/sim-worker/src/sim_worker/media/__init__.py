"""Pictures, videos and animated GLB files."""
