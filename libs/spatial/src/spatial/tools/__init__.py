"""`tools` of a cell, one module for each namespace."""
