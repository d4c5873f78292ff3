"""The expert that searches the parts catalog."""
