"""Journals: what roles wrote down about their attempts, and the recorded messages behind each entry."""
