"""Milling on three axes, clamped as often as needed."""
