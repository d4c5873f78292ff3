"""The packages and their imports as a picture: `python -m tools.import_graph`.

An arrow leads from a package to one that it imports; arrows that follow from others are left out (the transitive
reduction). Rows are the layers of the import linter's first contract.
"""

import tomllib
from html import escape
from itertools import chain
from pathlib import Path

import grimp
import networkx

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/pictures/import-graph.svg"
ROW, BOX_HEIGHT, GAP, CHARACTER = 84, 34, 14, 7.4
MARGIN, ROUNDS = 16, 12
FILLS = {"apps": "#fde7c8", "services": "#d7e8d2", "libs": "#dbe6f5"}
Graph = networkx.DiGraph


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(), encoding="utf-8")


def drawn() -> str:
    """Return the picture as SVG."""
    layers = _layers()
    graph = _imports(sorted(chain.from_iterable(layers)))
    places = _places(_ordered(layers, graph))
    width = max(x + w for x, _, w in places.values()) + MARGIN
    height = len(layers) * ROW + MARGIN
    arrows = [_arrow(places[above], places[below]) for above, below in sorted(graph.edges)]
    boxes = [_box(name, *place) for name, place in places.items()]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="sans-serif">',
            '<defs><marker id="a" markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto">'
            '<path d="M0,0 L6,3 L0,6 z" fill="#6b7f99"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
            *arrows,
            *boxes,
            "</svg>\n",
        )
    )


def _layers() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    rows = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [row.split(" | ") for row in rows]


def _imports(names: list[str]) -> "Graph[str]":
    """Return which package imports which, without what follows from others."""
    modules = grimp.build_graph(*names, cache_dir=None)
    graph: Graph[str] = Graph()
    graph.add_nodes_from(names)
    for name in names:
        own = {name, *modules.find_descendants(name)}
        imported = (each for module in own for each in modules.find_modules_directly_imported_by(module))
        graph.add_edges_from((name, other) for other in {each.split(".")[0] for each in imported} - {name})
    return networkx.transitive_reduction(graph)


def _ordered(layers: list[list[str]], graph: "Graph[str]") -> list[list[str]]:
    """Return the rows, each package near the middle of those it is tied to."""
    rows = [list(layer) for layer in layers]
    for round_number in range(ROUNDS):
        at = {name: (index + 0.5) / len(row) for row in rows for index, name in enumerate(row)}
        tied = graph.predecessors if round_number % 2 else graph.successors
        for row in rows:
            means = {name: _mean([at[each] for each in tied(name)], at[name]) for name in row}
            row.sort(key=lambda name, means=means: (means[name], name))
    return rows


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _places(rows: list[list[str]]) -> dict[str, tuple[float, float, float]]:
    """Return x, y and width of each box; rows are centred."""
    widths = {name: len(name) * CHARACTER + 20 for name in chain.from_iterable(rows)}
    lengths = [sum(widths[name] + GAP for name in row) - GAP for row in rows]
    places: dict[str, tuple[float, float, float]] = {}
    for number, row in enumerate(rows):
        x = MARGIN + (max(lengths) - lengths[number]) / 2
        for name in row:
            places[name] = (x, MARGIN + number * ROW, widths[name])
            x += widths[name] + GAP
    return places


def _arrow(above: tuple[float, float, float], below: tuple[float, float, float]) -> str:
    x0, y0, x1, y1 = above[0] + above[2] / 2, above[1] + BOX_HEIGHT, below[0] + below[2] / 2, below[1] - 2
    bend = max((y1 - y0) / 2, 12)
    curve = f"M{x0:.0f},{y0:.0f} C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} {x1:.0f},{y1:.0f}"
    return f'<path d="{curve}" fill="none" stroke="#6b7f99" stroke-opacity="0.55" marker-end="url(#a)"/>'


def _box(name: str, x: float, y: float, width: float) -> str:
    folder = next(ROOT.glob(f"*/*/src/{name}"))
    fill = FILLS[folder.relative_to(ROOT).parts[0]]
    return (
        f'<g><rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="5" fill="{fill}" '
        f'stroke="#50617a"/><text x="{x + width / 2:.0f}" y="{y + 22:.0f}" text-anchor="middle" '
        f'font-size="13" fill="#1d2733">{escape(name)}</text></g>'
    )


if __name__ == "__main__":
    main()
