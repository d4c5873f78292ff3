"""The passwords of the example file, by whom they belong to."""

from tests.architecture.repository import ROOT


def password_of(service: str) -> str:
    """Return one; `admin` has one, too."""
    lines = (ROOT / "deploy/.env.example").read_text("utf-8").splitlines()
    told = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return told[f"MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD"]
