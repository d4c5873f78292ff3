"""From a valid design to the scene that physics simulates."""
