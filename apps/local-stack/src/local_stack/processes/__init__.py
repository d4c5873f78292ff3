"""Child processes and their supervisor."""
