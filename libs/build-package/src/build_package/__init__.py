"""The build package of a machine: files by which a workshop makes its parts and puts them together."""
