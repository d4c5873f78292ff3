"""Reads code before it runs and lists what it may not do."""
