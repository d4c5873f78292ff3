"""Machines with a bought motor: what gravity cannot do is pushed along the floor or lifted."""
