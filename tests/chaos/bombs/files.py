"""STEP files that cost much more than their size, or that no program would write."""

import gzip
import re
from collections.abc import Callable, Mapping
from functools import cache

from build123d import Box, Sphere

from tests.geometry.cad_files.shapes import bomb, step_of

CUT_BYTES = 7_000
DOUBLINGS = 26
DEPTH = 5_000
NESTED = 1_000_000
PACKED_MIB = 250
POINTS = 2_000_000
NET = 1_000
"""Control points along each side of a surface."""
NAME_MIB = 30
SOLIDS = 3_000
RADIUS_MM = 1e7
END = "ENDSEC;\nEND-ISO"
STEP_NUMBERS = 100_000
"""Above those of the entities of a cube."""


@cache
def cube() -> str:
    """Return the honest file that the others are made of."""
    return step_of(Box(10, 10, 10)).decode()


class _Entities:
    """Lines of a STEP file, with numbers above those of the file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, entity: str) -> str:
        """Return the number of a new entity."""
        number = f"#{STEP_NUMBERS + len(self.lines)}"
        self.lines.append(f"{number} = {entity};")
        return number

    def place(self, x: float) -> str:
        """Add a placement along the first axis."""
        origin = self.add(f"CARTESIAN_POINT('',({x},0.,0.))")
        directions = self.add("DIRECTION('',(0.,0.,1.))"), self.add("DIRECTION('',(1.,0.,0.))")
        return self.add(f"AXIS2_PLACEMENT_3D('',{origin},{','.join(directions)})")


def _packed(step: str) -> bytes:
    return gzip.compress(step.encode(), mtime=0)


def _with(step: str, lines: str) -> str:
    """Return a file with more entities."""
    return step.replace(END, f"{lines}\n{END}")


def _points(count: int) -> list[str]:
    return [f"#{STEP_NUMBERS + number}=CARTESIAN_POINT('',(0.,0.,{number}.));" for number in range(count)]


def _assemblies(step: str, times: int, copies: int) -> str:
    """Return a file whose solid is `copies` times in an assembly, which is so in the next one, and so on."""
    context, product_context, definition_context = (
        re.findall(pattern, step, re.DOTALL)[-1]
        for pattern in (
            r"SHAPE_REPRESENTATION\('.*?',\(.*?\),(#\d+)\)",
            r"(#\d+) = PRODUCT_CONTEXT\b",
            r"(#\d+) = PRODUCT_DEFINITION_CONTEXT\b",
        )
    )
    child, shape = _definition(step), _representation(step)
    entities = _Entities()
    for level in range(times):
        places = [entities.place(20.0 * 2 ** min(level, 40) * copy) for copy in range(copies)]
        product = entities.add(f"PRODUCT('level {level}','','',({product_context}))")
        formation = entities.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        parent = entities.add(f"PRODUCT_DEFINITION('design','',{formation},{definition_context})")
        defined = entities.add(f"PRODUCT_DEFINITION_SHAPE('','',{parent})")
        whole = entities.add(f"SHAPE_REPRESENTATION('',({','.join(places)}),{context})")
        entities.add(f"SHAPE_DEFINITION_REPRESENTATION({defined},{whole})")
        for number, place in enumerate(places):
            _use(entities, f"{level} {number}", (parent, child), (shape, whole), (places[0], place))
        child, shape = parent, whole
    return _with(step, "\n".join(entities.lines))


def _cycle(step: str) -> str:
    """Return a file whose product is a part of itself, placed by an axis that is its own origin."""
    product, shape = _definition(step), _representation(step)
    entities = _Entities()
    place = entities.place(20.0)
    _use(entities, "itself", (product, product), (shape, shape), (place, place))
    own = f"#{STEP_NUMBERS + len(entities.lines)}"
    entities.add(f"AXIS2_PLACEMENT_3D('',{own},{own},{own})")
    return _with(step, "\n".join(entities.lines))


def _definition(step: str) -> str:
    return str(re.findall(r"(#\d+) = PRODUCT_DEFINITION\(", step)[-1])


def _representation(step: str) -> str:
    return str(re.findall(r"(#\d+) = (?:ADVANCED_BREP_)?SHAPE_REPRESENTATION\(", step)[-1])


def _use(
    entities: _Entities, name: str, products: tuple[str, str], shapes: tuple[str, str], places: tuple[str, str]
) -> None:
    """Add the use of a product in another one; `products`: the assembly and its part, `shapes`: the other way."""
    moved = entities.add(f"ITEM_DEFINED_TRANSFORMATION('','',{places[0]},{places[1]})")
    relation = entities.add(
        f"( REPRESENTATION_RELATIONSHIP('','',{shapes[0]},{shapes[1]}) "
        f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({moved}) SHAPE_REPRESENTATION_RELATIONSHIP() )"
    )
    use = entities.add(f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{products[0]},{products[1]},$)")
    used = entities.add(f"PRODUCT_DEFINITION_SHAPE('','',{use})")
    entities.add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{used})")


def _spline(step: str, degree: int) -> str:
    """Return a cube, one of whose faces is a surface of a million control points."""
    entities = _Entities()
    point = entities.add("CARTESIAN_POINT('',(0.,0.,0.))")
    row = f"({','.join([point] * NET)})"
    inner = NET - degree - 1
    times = ",".join((f"{degree + 1}", *["1"] * inner, f"{degree + 1}"))
    knots = ",".join(f"{each}." for each in range(inner + 2))
    surface = entities.add(
        f"B_SPLINE_SURFACE_WITH_KNOTS('',{degree},{degree},({','.join([row] * NET)}),.UNSPECIFIED.,.F.,.F.,.F.,"
        f"({times}),({times}),({knots}),({knots}),.UNSPECIFIED.)"
    )
    plane = re.search(r"(#\d+) = PLANE\(", step)
    assert plane is not None
    return _with(
        re.sub(rf"(ADVANCED_FACE\(.*?),{plane[1]},", rf"\1,{surface},", step, count=1), "\n".join(entities.lines)
    )


def _solids(step: str, count: int) -> str:
    """Return a file of cubes, each of a size of its own."""
    entities = step.partition("DATA;\n")[2].partition(END)[0]

    def numbered(found: re.Match[str], by: int) -> str:
        return f"#{int(found[1]) + by}"

    lines: list[str] = []
    for number in range(1, count):
        sized = re.sub(r"(?<=[(,-])5\.", f"{5 + number / 1000}", entities)
        lines.append(re.sub(r"#(\d+)", lambda found, by=STEP_NUMBERS * number: numbered(found, by), sized))
    return _with(step, "".join(lines))


BOMBS: Mapping[str, Callable[[], bytes]] = {
    "cube.step": lambda: cube().encode(),
    "cut.step": lambda: cube().encode()[:CUT_BYTES],
    "cycle.step": lambda: _cycle(cube()).encode(),
    "far.step": lambda: cube().replace("5.", "1.E+300").encode(),
    "nan.step": lambda: cube().replace("-5.", "-INF").replace("5.", "NAN").encode(),
    "nested.step": lambda: cube().replace("(", "(" * NESTED, 1).encode(),
    "deep.step": lambda: _assemblies(cube(), DEPTH, copies=1).encode(),
    "sphere.step": lambda: step_of(Sphere(RADIUS_MM)),
    "packed.stpz": lambda: bomb(PACKED_MIB),
    "entities.stpz": lambda: _packed(_with(cube(), "\n".join(_points(POINTS)))),
    "name.step": lambda: cube().replace("PRODUCT('", f"PRODUCT('{'x' * (NAME_MIB << 20)}", 1).encode(),
    "degree.step": lambda: _spline(cube(), degree=NET - 1).encode(),
    "spline.step": lambda: _spline(cube(), degree=3).encode(),
    "solids.stpz": lambda: _packed(_solids(cube(), SOLIDS)),
    "doubled.step": lambda: _assemblies(cube(), DOUBLINGS, copies=2).encode(),
}
"""Makers of the files by name, after an honest one, which shows that doors read it; `.stpz` are packed."""
