"""From sensor readings to a verdict."""
