"""Runs cells in one lasting namespace and describes what they leave behind."""
