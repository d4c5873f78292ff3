"""Typed access to OCCT; no other package imports it directly."""
