"""Watches of what goes wrong while a stack runs: servers, services, and the space on its disks."""
