"""Confined child processes for untrusted code on Linux: Landlock, seccomp, users, limits and a watchdog."""
