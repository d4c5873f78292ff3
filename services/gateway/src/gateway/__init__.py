"""The gateway: Millwright's REST API."""
