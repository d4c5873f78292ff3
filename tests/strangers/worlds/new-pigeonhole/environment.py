"""Ground, and a letter rack of three boards between two sides."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(0, 0, -10) * Box(600, 400, 20)
    slab.label = "ground"
    solids = [slab]
    for label, z, thick in (("bottom", 20, 40), ("middle", 74, 8), ("top", 115, 10)):
        board = Pos(180, 0, z) * Box(140, 140, thick)
        board.label = f"board-{label}"
        solids.append(board)
    for label, y in (("left", 75), ("right", -75)):
        side = Pos(180, y, 60) * Box(140, 10, 120)
        side.label = f"side-{label}"
        solids.append(side)
    return Compound(label="environment", children=solids)
