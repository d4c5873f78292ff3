"""The only code that talks to OCCT directly, with types."""
