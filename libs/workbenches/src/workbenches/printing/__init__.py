"""3D printing."""
