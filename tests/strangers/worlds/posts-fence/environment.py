"""A meadow, and a fence of five round posts along x."""

from build123d import Box, Compound, Cylinder, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    meadow = Pos(0, 25, -5) * Box(560, 550, 10)
    meadow.label = "meadow"
    posts = [Pos(90 * number, 0, 125) * Cylinder(12, 250) for number in range(-2, 3)]
    for number, post in enumerate(posts):
        post.label = f"post-{number + 1}"
    return Compound(label="environment", children=[meadow, *posts])
