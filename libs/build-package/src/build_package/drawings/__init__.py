"""Workshop drawings: three views with sizes and a hole table, as DXF and PDF."""
