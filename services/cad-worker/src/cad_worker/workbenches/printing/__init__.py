"""Printing: filament, or powder where the material says so."""
