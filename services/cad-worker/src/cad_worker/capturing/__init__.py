"""What a script says beside shapes: joints and a mechanism, read from build123d objects. Beside agent code."""
