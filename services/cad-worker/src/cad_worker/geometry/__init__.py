"""Exact geometry: what a B-rep holds, where it is and what it touches. Knows no rules."""
