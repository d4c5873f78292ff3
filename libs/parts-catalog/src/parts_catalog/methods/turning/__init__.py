"""Turning of bars."""
