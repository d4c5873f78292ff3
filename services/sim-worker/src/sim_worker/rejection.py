"""Why a scene cannot be simulated."""

from typing import Literal

Reason = Literal["scene_invalid", "initial_penetration", "model_does_not_compile"]


class SceneRejectedError(Exception):
    """The scene cannot be simulated; the handlers make an outcome of it."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail
