"""The event classes, one module for each part of the work."""
