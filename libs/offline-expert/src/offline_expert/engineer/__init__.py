"""The expert engineer: designs, replies, and changes after a failure."""
