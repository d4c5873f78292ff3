"""The contracts between services: every event and domain model."""
