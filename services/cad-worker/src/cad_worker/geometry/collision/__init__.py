"""Collision geometry of one solid: convex pieces whose error against the B-rep is measured."""
