"""The passwords of deploy/.env.example by service."""

from tests.architecture.repository import ROOT


def password_of(service: str) -> str:
    """Return the password of a service, or of `admin`."""
    lines = (ROOT / "deploy/.env.example").read_text("utf-8").splitlines()
    variables = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return variables[f"MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD"]
