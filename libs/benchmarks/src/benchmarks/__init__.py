"""Benchmarks: the file format, the loader, and the suite that comes along."""
