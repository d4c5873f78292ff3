"""Milling."""
