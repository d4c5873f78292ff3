"""Quotes as text, CSV and a page."""
