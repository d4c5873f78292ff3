"""Learned skills: versions, offers and trials."""
