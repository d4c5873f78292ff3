"""Checks and certifies worlds of benchmarks: valid, not trivial, and solved by their witness."""
