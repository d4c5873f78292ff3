"""Files that people and agents take home."""
