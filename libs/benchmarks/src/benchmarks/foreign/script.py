"""The environment.py of an imported benchmark: a slab with its obstacles, or the foreign script."""

import ast

from benchmarks.foreign.conversion import SLAB_MM
from benchmarks.loader import BenchmarkError

SLAB = '''"""A slab, and a box for every obstacle. Imported: replace it by the solids of your world."""

from build123d import Box, Compound, Pos

TOP_MM = {top}
"""Height of the slab's top."""


def filled(box, label):
    """Return a solid that fills a box."""
    solid = Pos(*box.center_mm) * Box(*box.size_mm)
    solid.label = label
    return solid


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    thickness = min(TOP_MM - low[2], {thickness})
    middle = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, TOP_MM - thickness / 2)
    slab = middle * Box(high[0] - low[0], high[1] - low[1], thickness)
    slab.label = "slab"
    return Compound(label="environment", children=[slab, *(filled(each.box, each.label) for each in variant.obstacles)])
'''
ADAPTER = '''

# Added by the import: Millwright calls build(variant), and adds the payload and the zones itself.
from build123d import Compound as _Compound

_foreign_build = build


def _solids(shape):
    children = list(shape.children)
    return [solid for child in children for solid in _solids(child)] if children else [shape]


def build(variant):
    """Return the solids of the foreign script, without those of payload and zones."""
    kept = [
        each
        for each in _solids(_foreign_build())
        if each.label != variant.payload.label and not each.label.startswith("zone_")
    ]
    for each in kept:
        metadata = dict(getattr(each, "metadata", None) or {})
        is_fixed = metadata.pop("fixed", None) or metadata.pop("is_fixed", None)
        each.metadata = {} if is_fixed or "material_id" not in metadata else {
            "material_id": metadata["material_id"].replace("_", "-")
        }
    return _Compound(label="environment", children=kept)
'''
FOREIGN_CLASSES = frozenset({"PartMetadata", "CompoundMetadata"})
"""What foreign scripts import to describe a solid; a dictionary of the same fields takes their place."""


def slab_script(top_mm: float) -> str:
    """Return the script of a world without one."""
    return SLAB.format(top=top_mm, thickness=SLAB_MM)


def adapted_script(text: str, where: str) -> tuple[str, str]:
    """Return a foreign script as environment.py, and what was changed; raise `BenchmarkError` with the faulty line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else 1
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BenchmarkError(where, f"line {line}: {reason}; correct the script") from error
    built = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "build"]
    if not built:
        raise BenchmarkError(where, "it defines no `build`; write `def build(variant)`, which returns a Compound")
    wanted = built[-1].args
    required = [*wanted.posonlyargs, *wanted.args][: len(wanted.posonlyargs) + len(wanted.args) - len(wanted.defaults)]
    if [each.arg for each in required] == ["variant"]:
        return text, "environment: the script was copied as it is"
    if required:
        names = ", ".join(each.arg for each in required)
        fault = f"line {built[-1].lineno}: build needs {names}; give these defaults, or write `def build(variant)`"
        raise BenchmarkError(where, fault)
    return _without_foreign_imports(text, tree).rstrip() + ADAPTER, (
        "environment: build() of the script takes no variant, so that all seeds have its solids, in millimetres; those "
        "labelled as the payload or zone_… are left out"
    )


def _without_foreign_imports(text: str, tree: ast.Module) -> str:
    """Replace imports of classes that this machine does not have; all lines keep their numbers."""
    lines = text.splitlines()
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and {alias.name for alias in each.names} <= FOREIGN_CLASSES:
            end = each.end_lineno or each.lineno
            names = " = ".join(alias.asname or alias.name for alias in each.names)
            lines[each.lineno - 1 : end] = [f"{names} = dict", *[""] * (end - each.lineno)]
    return "\n".join(lines)
