"""Turning."""
