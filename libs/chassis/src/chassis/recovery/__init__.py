"""Retries, outages, and rebuilding a lost stream."""
