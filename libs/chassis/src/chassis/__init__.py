"""What a Millwright service stands on: the bus, telemetry and health."""
