"""One run: request, progress, result."""
