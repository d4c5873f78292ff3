"""Servers of models and of perception that were announced."""
