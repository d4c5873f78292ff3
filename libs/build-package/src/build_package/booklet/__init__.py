"""The README as one PDF, to be printed."""
