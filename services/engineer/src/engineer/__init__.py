"""Designs the machine by acting in a kernel."""
