"""What makes a captured design valid: its bodies, the rules on them, what its mechanism transmits, and its bill."""
