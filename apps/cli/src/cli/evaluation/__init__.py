"""Evaluations: trials of benchmarks, their scores, and comparisons of two evaluations."""
