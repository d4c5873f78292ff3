"""Shelves, columns and tables on which 2.7 kg of metal come to lie: strength and stiffness of parts and bonds."""

from tests.support.cheats.case import Case, World, cube

_BLOCK_MM, _BLOCK_KG_M3 = 65.0, 10_000.0
FLEXIBLE = ("overloaded",)
SLENDER = ("overloaded",)
GLUE = ("unbondable", "overloaded")


def _world(height_mm: float, x_mm: float = 0.0) -> World:
    """A floor and a wall at x = -100; the block falls by 1 mm onto a surface at this height."""
    half = _BLOCK_MM / 2
    return World(
        solids={"floor": ((-300, -300, -10), (300, 300, 0)), "wall": ((-120, -200, 0), (-100, 200, 600))},
        payload=cube((x_mm, 0, height_mm + half + 1.0), _BLOCK_MM, _BLOCK_KG_M3, 0.4),
        goal=((x_mm - 40, -40, height_mm - 10), (x_mm + 40, 40, height_mm + 0.5)),
    )


def _sheet(material: str, thickness: float, width: float = 240.0, out: float = 70.0) -> str:
    """A sheet glued to the wall by its edge, with the block `out` from the wall."""
    return (
        f"add('sheet', block((-100 + GAP, {out - 60:g}), ({-width / 2:g}, {width / 2:g}), ({150 - thickness:g}, 150)),"
        f" {material!r})\n"
        "mechanism += [bonded('sheet', 'wall')]\n"
    )


def _column(material: str, wall: float, height: float = 149.0, side: float = 60.0) -> str:
    """A square tube glued to the floor."""
    hollow = side - 2 * wall
    return (
        f"add('column', Pos(0, 0, {height / 2:g}) * Box({side:g}, {side:g}, {height - 2 * 0.01:g})"
        f" - Pos(0, 0, {height / 2:g}) * Box({hollow:g}, {hollow:g}, {height + 1:g}), {material!r})\n"
        "mechanism += [bonded('column', 'floor')]\n"
    )


def _table(leg: float, height: float, material: str = "pla", inset: float = 0.0) -> str:
    """A plate on four legs."""
    reach = 50 - leg / 2 - inset
    return (
        f"top = add('top', block((-50, 50), (-50, 50), ({height:g}, {height + 8:g})), 'pla')\n"
        f"for n, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):\n"
        f"    add(f'leg_{{n}}', Pos(x * {reach:g}, y * {reach:g}, {height / 2:g})"
        f" * Box({leg:g}, {leg:g}, {height - 0.02:g}), {material!r})\n"
        "    mechanism += [bonded(f'leg_{n}', 'top'), bonded(f'leg_{n}', 'floor')]\n"
    )


def _bracket(material: str, size: str, screws: int = 2, *, spread: float = 80, out: float = 40) -> str:
    """A shelf screwed to a rail that is glued to the wall with a large face: only threads can fail."""
    places = ", ".join(f"(-80, {spread * (n / (screws - 1) - 0.5):g}, 150)" for n in range(screws))
    shelf = "aluminum-6061" if material.startswith("aluminum") else "pla"
    return (
        f"add('rail', block((-100 + GAP, -60), (-60, 60), (60, 138)), {material!r})\n"
        f"add('shelf', block((-100 + GAP, {out:g}), (-60, 60), (138 + GAP, 150)), {shelf!r})\n"
        f"mechanism += [bonded('rail', 'wall'), fastened('shelf', 'rail', {size!r}, at=[{places}])]\n"
    )


_POST = """
add("post", Pos(0, 0, 74.5) * Box(40, 40, 148.98), "pom")
mechanism += [bonded("post", "floor")]
"""

CHEATS = (
    Case(
        "rubber_sheet_3",
        "a sheet of TPU 3 mm thick carries 2.7 kg 70 mm out",
        _world(150, -30),
        _sheet("tpu-95a", 3, 320),
        FLEXIBLE,
    ),
    Case(
        "rubber_sheet_8",
        "a sheet of TPU 8 mm thick carries 2.7 kg 100 mm out",
        _world(150, 0),
        _sheet("tpu-95a", 8, out=100),
        FLEXIBLE,
    ),
    Case(
        "rubber_column_1", "a TPU tube of 1.1 mm walls carries 2.7 kg", _world(149), _column("tpu-95a", 1.1), FLEXIBLE
    ),
    Case(
        "rubber_column_high",
        "a TPU tube of 1.6 mm walls, 300 mm high",
        _world(300),
        _column("tpu-95a", 1.6, 300),
        FLEXIBLE,
    ),
    Case(
        "rubber_legs",
        "a table on four TPU legs of 12 mm, 300 mm high",
        _world(308),
        _table(12, 300, "tpu-95a"),
        SLENDER,
    ),
    Case("hdpe_sheet", "epoxy does not bond HDPE", _world(150, -30), _sheet("hdpe", 6), GLUE),
    Case("pom_sheet", "epoxy does not bond POM", _world(150, -30), _sheet("pom", 10), GLUE),
    Case("pom_column", "epoxy does not bond POM: a column glued to the floor", _world(149), _POST, GLUE),
    Case("hdpe_legs", "epoxy does not bond HDPE: a table on glued legs", _world(208), _table(25, 200, "hdpe"), GLUE),
    Case(
        "strip_2",
        "a strip of glue of 250 x 2.4 mm holds a moment about its thin axis",
        _world(150, -55),
        _sheet("steel-1018", 2.4, 250, 45),
        GLUE,
    ),
    Case(
        "strip_3", "a strip of glue of 320 x 3 mm, aluminium", _world(150, -30), _sheet("aluminum-6061", 3, 320), GLUE
    ),
    Case(
        "strip_4",
        "a strip of glue of 380 x 4 mm, aluminium, 120 mm out",
        _world(150, 20),
        _sheet("aluminum-6061", 4, 380, 120),
        GLUE,
    ),
    # By beam theory posts of 7 x 7 x 450 mm bear these 2.7 kg 3.5 times over; with a safety of 2 they may.
    Case("legs_7", "posts of 7 x 7 x 650 mm carry 2.7 kg", _world(658), _table(7, 650), SLENDER),
    Case("legs_5", "posts of 5 x 5 x 350 mm carry 2.7 kg", _world(358), _table(5, 350, "petg"), SLENDER),
    Case("legs_6", "posts of 6 x 6 x 500 mm carry 2.7 kg", _world(508), _table(6, 500), SLENDER),
    Case(
        "thread_in_rubber",
        "two M4 screws with 4 mm of thread in TPU",
        _world(150, -10),
        _bracket("tpu-95a", "iso4762-m4x16"),
        GLUE,
    ),
    Case(
        "thread_of_4",
        "two M3 screws, 12 mm apart, with 4 mm of thread in PLA carry 2.7 kg 110 mm beyond",
        _world(150, 50),
        _bracket("pla", "iso4762-m3x16", spread=12, out=90),
        GLUE,
    ),
)
HONEST = (
    Case("pla_shelf_30", "a PLA shelf 30 mm thick, glued by its edge", _world(150, -50), _sheet("pla", 30, 240, 50)),
    Case("abs_shelf_30", "ABS instead of HDPE, glued by its edge", _world(150, -50), _sheet("abs", 30, 240, 50)),
    Case("petg_shelf_30", "a PETG shelf 30 mm thick", _world(150, -50), _sheet("petg", 30, 240, 50)),
    Case(
        "aluminium_shelf_30", "an aluminium shelf 30 mm thick", _world(150, -50), _sheet("aluminum-6061", 30, 200, 50)
    ),
    Case("steel_shelf_25", "a steel shelf 25 mm thick", _world(150, -50), _sheet("steel-1018", 25, 200, 50)),
    Case("pla_column_4", "a PLA tube of 4 mm walls", _world(149), _column("pla", 4)),
    Case("abs_column_4", "ABS instead of POM", _world(149), _column("abs", 4)),
    Case("petg_column_5", "a PETG tube of 5 mm walls, 300 mm high", _world(300), _column("petg", 5, 300)),
    Case("legs_16", "posts of 16 x 16 x 300 mm", _world(308), _table(16, 300)),
    Case("legs_20", "posts of 20 x 20 x 450 mm", _world(458), _table(20, 450)),
    Case("legs_16_petg", "posts of 16 x 16 x 250 mm of PETG", _world(258), _table(16, 250, "petg")),
    Case("legs_12_steel", "posts of steel, 12 x 12 x 250 mm", _world(258), _table(12, 250, "steel-1018")),
    Case(
        "threads_in_aluminium",
        "four M4 screws in aluminium",
        _world(150, -20),
        _bracket("aluminum-6061", "iso4762-m4x20", 4),
    ),
    Case(
        "threads_in_abs",
        "four M4 screws with 8 mm of thread in ABS",
        _world(150, -50),
        _bracket("abs", "iso4762-m4x20", 4),
    ),
)
