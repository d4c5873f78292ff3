"""The passwords of deploy/.env.example by service."""

from tests.architecture.repository import ROOT


def example_variables() -> dict[str, str]:
    """Return the variables that the file sets."""
    lines = (ROOT / "deploy/.env.example").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def password_of(service: str) -> str:
    """Return the password of a service, or of `admin`."""
    return example_variables()[f"MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD"]
