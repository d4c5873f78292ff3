"""Observations, quotes and recoveries as Markdown for agents."""
