"""Kernels that agents work in, and their workspaces."""
