"""Quotes of files of parts: asking for them, and their text, rows and page."""
