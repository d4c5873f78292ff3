"""Marble runs: routes for a ball, built as channels, corners and a pocket."""
