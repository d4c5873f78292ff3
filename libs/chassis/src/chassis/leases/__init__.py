"""Leases: which worker holds which session."""
