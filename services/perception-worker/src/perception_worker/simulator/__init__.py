"""Exact perception of frames whose scene is stored."""
