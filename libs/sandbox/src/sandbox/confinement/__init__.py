"""Confinement of a process: files (Landlock), system calls (seccomp), user and resource limits."""
