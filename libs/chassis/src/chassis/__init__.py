"""The framework of a Millwright service: events over JetStream, leases, telemetry and health."""
