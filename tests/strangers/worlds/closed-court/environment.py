"""Ground, and a closed court: four walls and a roof."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-250, -200, -20), (250, 200, 0)),
            block("west", (60, -70, 0), (70, 70, 100)),
            block("east", (190, -70, 0), (200, 70, 100)),
            block("south", (70, -70, 0), (190, -60, 100)),
            block("north", (70, 60, 0), (190, 70, 100)),
            block("roof", (60, -70, 100), (200, 70, 110)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
