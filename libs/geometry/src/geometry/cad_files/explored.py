"""The pieces of a shape: its solids, and what lies beside them."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections import Counter
from typing import Literal

from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS_Shape

Kind = Literal["SOLID", "SHELL", "FACE", "EDGE", "VERTEX"]
NAMES: dict[Kind, tuple[str, str]] = {
    "FACE": ("surface", "surfaces"),
    "EDGE": ("line", "lines"),
    "VERTEX": ("point", "points"),
}


def pieces_of(shape: TopoDS_Shape, kind: Kind, outside: Kind | None = None) -> list[TopoDS_Shape]:
    """Return the pieces of one kind, without those that belong to a piece of the kind `outside`."""
    wanted = getattr(TopAbs_ShapeEnum, f"TopAbs_{kind}")
    explorer = (
        TopExp_Explorer(shape, wanted)
        if outside is None
        else TopExp_Explorer(shape, wanted, getattr(TopAbs_ShapeEnum, f"TopAbs_{outside}"))
    )
    found: list[TopoDS_Shape] = []
    while explorer.More():
        found.append(explorer.Current())
        explorer.Next()
    return found


def loose_pieces(shape: TopoDS_Shape) -> Counter[Kind]:
    """Count surfaces, lines and points that belong to no solid, surface or line."""
    counts: Counter[Kind] = Counter()
    counts["FACE"] = len(pieces_of(shape, "FACE", outside="SOLID"))
    counts["EDGE"] = len(pieces_of(shape, "EDGE", outside="FACE"))
    counts["VERTEX"] = len(pieces_of(shape, "VERTEX", outside="EDGE"))
    return counts


def in_words(counts: Counter[Kind]) -> str:
    """Return `1 surface, 4 lines and 2 points`."""
    texts = [f"{counts[kind]} {names[counts[kind] != 1]}" for kind, names in NAMES.items() if counts[kind]]
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1]))) if texts else ""
