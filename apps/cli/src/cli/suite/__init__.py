"""Certification of the whole suite of built-in benchmarks."""
