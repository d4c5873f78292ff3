"""STEP files that cost much more than their size."""

import re

from build123d import Box

from tests.geometry.cad_files.shapes import bomb, step_of

DOUBLINGS = 26
NESTED = 1_000_000
PACKED_MIB = 250


def bombs() -> dict[str, bytes]:
    """Return the files by name."""
    cube = step_of(Box(10, 10, 10))
    return {
        "doubled.step": _doubled(cube.decode(), DOUBLINGS),
        "nested.step": cube.replace(b"(", b"(" * NESTED, 1),
        "packed.stpz": bomb(PACKED_MIB),
    }


class _Entities:
    """Lines of a STEP file, with numbers above those of the file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, entity: str) -> str:
        """Return the number of a new entity."""
        number = f"#{100_000 + len(self.lines)}"
        self.lines.append(f"{number} = {entity};")
        return number

    def place(self, x: float) -> str:
        """Add a placement along the first axis."""
        origin = self.add(f"CARTESIAN_POINT('',({x},0.,0.))")
        directions = self.add("DIRECTION('',(0.,0.,1.))"), self.add("DIRECTION('',(1.,0.,0.))")
        return self.add(f"AXIS2_PLACEMENT_3D('',{origin},{','.join(directions)})")


def _doubled(step: str, times: int) -> bytes:
    """Return a file whose solid is twice in an assembly, which is twice in the next one, and so on."""
    context, product_context, definition_context = (
        re.findall(pattern, step, re.DOTALL)[-1]
        for pattern in (
            r"SHAPE_REPRESENTATION\('.*?',\(.*?\),(#\d+)\)",
            r"(#\d+) = PRODUCT_CONTEXT\b",
            r"(#\d+) = PRODUCT_DEFINITION_CONTEXT\b",
        )
    )
    child = re.findall(r"(#\d+) = PRODUCT_DEFINITION\(", step)[-1]
    shape = re.findall(r"(#\d+) = (?:ADVANCED_BREP_)?SHAPE_REPRESENTATION\(", step)[-1]
    entities = _Entities()
    for level in range(times):
        places = entities.place(0.0), entities.place(20.0 * 2**level)
        product = entities.add(f"PRODUCT('level {level}','','',({product_context}))")
        formation = entities.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        parent = entities.add(f"PRODUCT_DEFINITION('design','',{formation},{definition_context})")
        defined = entities.add(f"PRODUCT_DEFINITION_SHAPE('','',{parent})")
        whole = entities.add(f"SHAPE_REPRESENTATION('',({','.join(places)}),{context})")
        entities.add(f"SHAPE_DEFINITION_REPRESENTATION({defined},{whole})")
        for number, place in enumerate(places):
            moved = entities.add(f"ITEM_DEFINED_TRANSFORMATION('','',{places[0]},{place})")
            relation = entities.add(
                f"( REPRESENTATION_RELATIONSHIP('','',{shape},{whole}) "
                f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({moved}) SHAPE_REPRESENTATION_RELATIONSHIP() )"
            )
            name = f"{level} {number}"
            use = entities.add(f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{parent},{child},$)")
            used = entities.add(f"PRODUCT_DEFINITION_SHAPE('','',{use})")
            entities.add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{used})")
        child, shape = parent, whole
    end = "ENDSEC;\nEND-ISO"
    return step.replace(end, "\n".join((*entities.lines, end))).encode()
