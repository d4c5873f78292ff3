"""Hosts every kernel; build123d, judging and export live only here."""
