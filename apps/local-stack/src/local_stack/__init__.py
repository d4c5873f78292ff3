"""Servers, services and clients of one machine."""
