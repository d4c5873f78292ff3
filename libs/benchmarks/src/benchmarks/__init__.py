"""Benchmarks: the file format, the loader, and the built-in suite."""
