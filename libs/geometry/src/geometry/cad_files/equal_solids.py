"""Equal solids: one part that a file holds several times, moved or turned."""

from collections.abc import Sequence
from dataclasses import replace

from geometry.cad_files.contents import NamedSolid
from geometry.congruence import equal_groups
from geometry.display_mesh import MAX_FACES


def merged(solids: Sequence[NamedSolid]) -> tuple[tuple[NamedSolid, ...], tuple[str, ...]]:
    """Return each distinct solid once, with the sum of the counts, and notes on names that went into another."""
    kept: dict[int, NamedSolid] = {}
    notes: list[str] = []
    for number, (solid, first) in enumerate(
        zip(solids, equal_groups([each.solid for each in solids], MAX_FACES), strict=True)
    ):
        if first == number:
            kept[number] = solid
            continue
        kept[first] = replace(kept[first], count=kept[first].count + solid.count)
        if solid.name != kept[first].name:
            notes.append(f"{solid.name} is equal to {kept[first].name} and is counted with it")
    return tuple(kept.values()), tuple(notes)
