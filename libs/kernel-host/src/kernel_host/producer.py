"""The name under which sessions answer their requests."""

PRODUCER = "cad-worker"
"""The service that the contracts name as the owner of sessions and cells."""
