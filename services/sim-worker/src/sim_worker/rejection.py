"""The error for scenes that cannot be simulated."""

from typing import Literal

from contracts.models.geometry import Vector

Reason = Literal["scene_invalid", "initial_penetration", "model_does_not_compile"]


class SceneRejectedError(Exception):
    """The scene cannot be simulated; the handlers turn this into an outcome."""

    def __init__(self, reason: Reason, detail: str, label: str = "", place_mm: Vector | None = None) -> None:
        super().__init__(detail)
        self.label, self.place_mm = label, place_mm
        """The body that it is about, and where; empty and None if it is about the whole."""
        self.reason: Reason = reason
        self.detail = detail
