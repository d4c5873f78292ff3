"""Every event, one module for each part of the work."""
