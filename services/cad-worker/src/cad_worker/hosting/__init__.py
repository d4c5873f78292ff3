"""Forks confined children and speaks with them."""
