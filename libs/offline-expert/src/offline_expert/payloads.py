"""Several payloads are led as one: as a box around all of them at the start, with the highest of their frictions."""

from dataclasses import dataclass

from offline_expert.markdown import Point, numbers, rows, value

_START = "box around all payloads at the start"


@dataclass(frozen=True)
class Payloads:
    """The box around several payloads."""

    center: Point
    size_mm: float
    """Its longest edge."""
    shape: str
    """`ball` if all are balls, which roll; otherwise they are led as a box, which slides."""
    friction: float


def several_payloads(task: str) -> Payloads | None:
    """Return what the task's tables say of several payloads; None if there is one."""
    around = value(task, _START)
    if around is None:
        return None
    x0, y0, z0, x1, y1, z1 = numbers(around)
    frictions, shapes = _cells(task, "friction"), _cells(task, "shape")
    center = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    return Payloads(
        center, max(x1 - x0, y1 - y0, z1 - z0), "ball" if set(shapes) == {"ball"} else "box", max(map(float, frictions))
    )


def _cells(task: str, name: str) -> list[str]:
    return [cell for row in rows(task) if row and row[0] == name for cell in row[1:] if cell]
