"""Simulation of nominal run and replicas, and their sensor readings."""
