"""STEP files that cost much more than their size, through every door that takes files."""
