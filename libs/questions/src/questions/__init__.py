"""Spatial questions: their input as frames, question sets, and scores."""
