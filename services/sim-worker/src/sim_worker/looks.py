"""Colours: what people recognise things by, in video, poster, GLB and MJCF alike."""

from contracts.scene import Body

Rgba = tuple[float, float, float, float]

PAYLOAD: Rgba = (0.96, 0.45, 0.08, 1.0)
TRAIL: Rgba = (0.98, 0.62, 0.16, 1.0)
GOAL: Rgba = (0.10, 0.75, 0.30, 0.22)
FORBID: Rgba = (0.90, 0.12, 0.14, 0.28)
BUILD: Rgba = (0.25, 0.50, 0.95, 0.07)
ENVIRONMENT: Rgba = (0.52, 0.54, 0.57, 1.0)


def of_body(body: Body) -> Rgba:
    """Return grey for what was there before, and the colour of its material for what was built."""
    return ENVIRONMENT if body.origin == "environment" else body.color_rgba
