"""Decides by physics: MJCF, replicas, verdict and media."""
