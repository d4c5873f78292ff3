"""Drafts of benchmarks: their worlds, and the session of the author who writes them."""
