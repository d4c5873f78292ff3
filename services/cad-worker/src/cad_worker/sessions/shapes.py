"""How a CAD object reads in the list of variables."""

# build123d's types are partly unknown to pyright
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from build123d import Compound, Face, Solid
from build123d.build_common import Builder


def describe_shape(value: object) -> str | None:
    """Return label, bounding box and volume of a shape; None for anything else."""
    if isinstance(value, Builder):
        return "a builder: use its .part"
    if not isinstance(value, Compound | Solid | Face):
        return None
    box = value.bounding_box()
    size = " x ".join(f"{each:.1f}" for each in (box.size.X, box.size.Y, box.size.Z))
    low = ", ".join(f"{each:.1f}" for each in (box.min.X, box.min.Y, box.min.Z))
    label = f"label={value.label!r}, " if value.label else "no label, "
    return f"{label}{size} mm from ({low}), volume {value.volume:.0f} mm³"
