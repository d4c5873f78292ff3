"""Writes down what a run taught."""
