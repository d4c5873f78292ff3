"""The report of a run: its story, tables and 3D replay in one HTML file that opens from disk."""
