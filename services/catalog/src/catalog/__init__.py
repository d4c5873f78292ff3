"""Catalog: finds bought parts with a search agent over read-only SQL."""
