"""Critic: reviews plans before the work, and designs after their simulation."""
