"""Injection moulding: two halves of a mould, and side actions where they do not suffice."""
