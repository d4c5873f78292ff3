"""Machines with a motor: a pusher for cubes and a lift for balls."""
