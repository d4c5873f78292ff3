"""The 3D viewer of pages and reports: its files, the data that it shows, and safe HTML of what models wrote."""
