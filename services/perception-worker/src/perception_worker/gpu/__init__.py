"""Perception by models on GPU servers."""
