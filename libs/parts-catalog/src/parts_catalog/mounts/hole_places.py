"""Places of the mounting holes of slides, by the sizes of their recipes."""

from collections.abc import Iterator, Mapping

Sizes = Mapping[str, float]


def hole_places(sizes: Sizes) -> Iterator[tuple[float, float]]:
    """Yield x and y of the mounting holes: of a rail a row, else the corners of a rectangle."""
    if "hole_pitch" in sizes:
        count = int(sizes["length"] // sizes["hole_pitch"])
        yield from (((number - (count - 1) / 2) * sizes["hole_pitch"], 0.0) for number in range(count))
    else:
        yield from ((x * sizes["holes_x"] / 2, y * sizes["holes_y"] / 2) for x in (-1, 1) for y in (-1, 1))


def seat_mm(sizes: Sizes) -> float:
    """Return the height at which a screw's head, or what is screwed on, rests: the ends of the holes."""
    if "counterbore_depth" in sizes:
        return sizes["height"] - sizes["counterbore_depth"]
    return sizes["top"] if "top" in sizes else sizes["height"] / 2
