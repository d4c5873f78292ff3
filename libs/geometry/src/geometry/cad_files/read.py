"""Reading of a file of parts: its solids, each once, near the origin."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from build123d import Location

from geometry.cad_files.archive_3mf import read_3mf
from geometry.cad_files.contents import MAX_SOLIDS, CadFile, NamedSolid, UnusableFileError
from geometry.cad_files.file_format import recognise
from geometry.cad_files.mesh_file import MESH_READERS
from geometry.cad_files.mesh_solids import solids_of_mesh
from geometry.cad_files.step_file import read_step_file
from geometry.congruence import equal_groups
from geometry.display_mesh import MAX_FACES
from geometry.formatting import format_point
from geometry.occt.measures import spread_of


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


FAR_MM = 1e4
"""From the origin: farther away, rounding comes near the thickness of a wall."""
FARTHEST_MM = 1e9
"""Beyond this, a coordinate is wrong."""
MOST_COMPARED = 1000
"""Solids of a file that are compared with each other."""
MESH_NOTE = (
    "it is a mesh: its round faces are facets, so it is judged for printing only; milling and moulding need exact "
    "surfaces, as STEP files have them"
)


def read_cad_file(file_name: str, data: bytes, name: str) -> CadFile:
    """Return the distinct solids of a file; `name` is that of parts without one. Raises `UnusableFileError`."""
    file_format, contents = recognise(file_name, data)
    if file_format == "step":
        return distinct(read_step_file(contents, name))
    notes: list[str] = []
    if file_format == "3mf":
        meshes = read_3mf(contents, name)
    else:
        notes.append("it has no unit and was read in millimetres")
        meshes = [MESH_READERS[file_format](contents, name)]
    solids = tuple(solid for mesh in meshes for solid in solids_of_mesh(mesh, notes))
    if not solids:
        raise UnusableFileError("no_shape", "has no part in it; save it again with the part")
    return distinct(CadFile(file_format, solids, (MESH_NOTE, *notes)))


def distinct(file: CadFile) -> CadFile:
    """Return the file with equal solids counted together and far ones moved to the origin."""
    _require_few(len(file.solids), MOST_COMPARED, "solids")
    notes = list(file.notes)
    solids, equal = merged([_near(solid, notes) for solid in file.solids])
    _require_few(len(solids), MAX_SOLIDS, "different solids")
    return replace(file, solids=tuple(_own_names(solids)), notes=(*notes, *equal))


def _require_few(count: int, most: int, what: str) -> None:
    if count > most:
        raise UnusableFileError("too_complex", f"holds {count} {what}, at most {most} are quoted at once; split it")


def _own_names(solids: Iterable[NamedSolid]) -> Iterator[NamedSolid]:
    """Number different solids of one name."""
    uses: Counter[str] = Counter()
    for solid in solids:
        uses[solid.name] += 1
        number = uses[solid.name]
        yield solid if number == 1 else replace(solid, name=f"{solid.name} ({number})")


def _near(solid: NamedSolid, notes: list[str]) -> NamedSolid:
    place_mm, _ = spread_of(solid.solid.wrapped)
    if not FAR_MM < max(map(abs, place_mm)) < FARTHEST_MM:
        return solid
    notes.append(f"{solid.name} lies at {format_point(place_mm)}; it was moved so that its middle is at the origin")
    x, y, z = place_mm
    return replace(solid, solid=solid.solid.moved(Location((-x, -y, -z))))
