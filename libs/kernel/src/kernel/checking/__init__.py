"""The first fence: code is read before it runs."""
