"""Finds what is sold: a search agent over read-only SQL."""
