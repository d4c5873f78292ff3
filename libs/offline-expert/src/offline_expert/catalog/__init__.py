"""The expert that searches the catalog."""
