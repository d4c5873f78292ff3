"""Pictures, videos and animated GLB files of simulations."""
