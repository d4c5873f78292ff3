"""The error for scenes that cannot be simulated."""

from typing import Literal

Reason = Literal["scene_invalid", "initial_penetration", "model_does_not_compile"]


class SceneRejectedError(Exception):
    """The scene cannot be simulated; the handlers turn this into an outcome."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail
