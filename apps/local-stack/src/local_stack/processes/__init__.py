"""Child processes that die with this process, and their supervisor."""
