"""What a user of containers types in the place of what others do. See docs/deploy.md."""

COMPOSE = "docker compose -f deploy/compose.yaml"
BRING_UP = f"in containers: `{COMPOSE} up --wait`"


def as_admin(command: str) -> str:
    """Return how a command gets the admin's rights in containers; without one it is `migrate`."""
    return f"in containers: `{' '.join(filter(None, (COMPOSE, 'run --rm migrate', command)))}`"
