"""What became of the attacks in one container."""

from pydantic import BaseModel


class Verdict(BaseModel):
    """What a container tells."""

    linux: str
    landlock_abi: int
    user: int
    tried: int
    not_denied: dict[str, str]
    """By name: what came instead of a refusal."""
    unconfined: tuple[str, ...]
    """Which of the attacks that are harmless outside succeed in this container without the sandbox."""
