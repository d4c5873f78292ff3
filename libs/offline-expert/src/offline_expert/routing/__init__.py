"""Marble runs: the way of the payload as channels, corners and a pocket."""
