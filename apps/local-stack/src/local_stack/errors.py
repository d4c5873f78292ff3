"""Errors for users, and the commands that fix them in containers (see docs/deploy.md)."""

COMPOSE = "docker compose -f deploy/compose.yaml"
START_HINT = f"in containers: `{COMPOSE} up --wait`"
PASSWORD_HINT = (
    f"in containers: after a change in deploy/.env run `{COMPOSE} up --wait` again; for the admin's own password see "
    "docs/deploy.md"
)


class UserError(Exception):
    """One line that names the problem and its fix. The command prints it and exits with code 2."""


def admin_hint(command: str) -> str:
    """Return how to run a command with the admin's rights in containers; the empty command is `migrate`."""
    return f"in containers: `{' '.join(filter(None, (COMPOSE, 'run --rm migrate', command)))}`"
