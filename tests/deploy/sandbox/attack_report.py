"""The report of the attacks in one container."""

from pydantic import BaseModel


class AttackReport(BaseModel):
    """What `attack_probe` found in a container."""

    linux: str
    landlock_abi: int
    user: int
    tried: int
    not_denied: dict[str, str]
    """By attack: what happened instead of a denial."""
    harmless_outside: tuple[str, ...]
    """Attacks that do no harm outside of a kernel, and succeed there in this container."""
