"""Injection moulding."""
