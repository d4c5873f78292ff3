"""The order of assembly: its steps in words, and a picture of each."""
