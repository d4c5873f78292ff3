"""What a user of containers types in the place of what others do. See docs/deploy.md."""

COMPOSE = "docker compose -f deploy/compose.yaml"
BRING_UP = f"in containers: `{COMPOSE} up --wait`"
PASSWORDS = (
    f"in containers: after a change in deploy/.env bring everything up again, `{COMPOSE} up --wait`; the admin's own "
    "password: docs/deploy.md"
)


def as_admin(command: str) -> str:
    """Return how a command gets the admin's rights in containers; without one it is `migrate`."""
    return f"in containers: `{' '.join(filter(None, (COMPOSE, 'run --rm migrate', command)))}`"
