"""A floor and three round posts."""

from build123d import Box, Compound, Cylinder, Pos

POSTS = ((170, 290), (260, 180), (330, 400))
"""x and y of their middles."""


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    floor = Pos(250, 250, 5) * Box(500, 500, 10)
    floor.label = "floor"
    posts = [Pos(x, y, 135) * Cylinder(20, 250) for x, y in POSTS]
    for number, post in enumerate(posts):
        post.label = f"post-{number + 1}"
    return Compound(label="environment", children=[floor, *posts])
