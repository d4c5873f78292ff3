"""Confined processes for untrusted code on Linux: Landlock, seccomp, users, limits."""
