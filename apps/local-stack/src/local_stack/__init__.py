"""Servers, services and clients of one machine, started and supervised as one stack."""
