"""The layout of a drawing: views with their sizes on the left, table, notes and title block on the right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from build_package.drawings.round_features import PARALLEL, RoundFeature, round_features
from build_package.drawings.sheet import FORMATS, SCALES, Circle, Item, Point, Polyline, Sheet, Text, scale_text
from build_package.drawings.title_block import TITLE_BLOCK_MM, TitleBlock, title_block
from build_package.drawings.views import ThreeViews, View
from build_package.machine import MadePart

MARGIN_MM, COLUMN_MM, GAP_MM = 10.0, 100.0, 24.0
"""Around the sheet, the width of the right column, and between views."""
TEXT_MM, ROW_MM = 2.5, 4.6
DIMENSION_MM, ARROW_MM = 9.0, 2.5
"""Distance of a dimension line from its view; length of an arrow."""
COLUMNS = (("no.", 3.0), ("Ø", 12.0), ("depth", 24.0), ("x", 42.0), ("y", 56.0), ("z", 70.0), ("axis", 84.0))
"""Of the hole table, with their places in mm."""
MOST_ROWS = 150
"""Of the hole table: what a sheet of A0 holds."""
LEAST_SCALE = 0.5
"""A sheet of A3 is taken rather than a smaller scale."""


@dataclass(frozen=True)
class _Frame:
    """Format, scale and the place of the front view."""

    format_name: str
    size_mm: Point
    scale: float


def drawing(part: MadePart, views: ThreeViews, block: TitleBlock, notes: Sequence[str]) -> Sheet:
    """Return the drawing of a part."""
    features = round_features(part.drawn_mesh, views.frame, views.origin_mm)
    left_out = len(features) - MOST_ROWS
    if left_out > 0:
        features, notes = features[:MOST_ROWS], [*notes, f"{left_out} more holes and pins: see the STEP file"]
    frame = _frame(views, len(features) + len(notes))
    column = (frame.size_mm[0] - MARGIN_MM - COLUMN_MM, MARGIN_MM)
    items = (
        *_border(frame),
        *title_block(block, scale_text(frame.scale), frame.format_name, column),
        *_views(views, features, frame),
        *_table(features, (column[0], frame.size_mm[1] - MARGIN_MM)),
        *_notes(notes, column),
    )
    return Sheet(part.label, frame.format_name, frame.size_mm, frame.scale, items)


def _frame(views: ThreeViews, rows: int) -> _Frame:
    """Return the smallest format that holds the table, and the views at half their size or more."""
    length, width, thickness = map(float, views.size_mm)
    frame = _Frame(*FORMATS[0], 1.0)
    for name, size in FORMATS:
        space = (size[0] - 2 * MARGIN_MM - COLUMN_MM - 3 * GAP_MM, size[1] - 2 * MARGIN_MM - 3 * GAP_MM)
        most = min(space[0] / (length + thickness), space[1] / (width + thickness))
        frame = _Frame(name, size, next((each for each in SCALES if each <= most), SCALES[-1]))
        has_table = (rows + 6) * ROW_MM <= size[1] - 2 * MARGIN_MM - TITLE_BLOCK_MM[1]
        if has_table and frame.scale >= (LEAST_SCALE if name == FORMATS[0][0] else SCALES[-1]):
            break
    return frame


def _border(frame: _Frame) -> Iterator[Item]:
    (width, height), edge = frame.size_mm, MARGIN_MM
    yield _box((edge, edge), (width - edge, height - edge))
    column = width - edge - COLUMN_MM
    yield _line((column, edge), (column, height - edge))


def _views(views: ThreeViews, features: Sequence[RoundFeature], frame: _Frame) -> Iterator[Item]:
    """Place the views: the one from the left to the right of the front, the one from above below it."""
    scale = frame.scale
    length, width, thickness = (float(edge) * scale for edge in views.size_mm)
    free = (frame.size_mm[0] - 2 * MARGIN_MM - COLUMN_MM, frame.size_mm[1] - 2 * MARGIN_MM)
    x = MARGIN_MM + (free[0] - length - thickness - GAP_MM) / 2
    y = MARGIN_MM + (free[1] - width - thickness - GAP_MM) / 2 + thickness + GAP_MM
    corners = (x, y), (x + length + GAP_MM, y), (x, y - GAP_MM - thickness)
    for view, corner in zip(views.all, corners, strict=True):
        yield from _drawn(view, corner, scale)
        yield from _marks(view, features, corner, scale)
    sizes = [float(edge) for edge in views.size_mm]
    yield from _dimension((x, y + width), (x + length, y + width), sizes[0], is_upright=False)
    yield from _dimension((x, y), (x, y + width), sizes[1], is_upright=True)
    left = x + length + GAP_MM
    yield from _dimension((left, y + width), (left + thickness, y + width), sizes[2], is_upright=False)
    yield Text("0", (x - 1.5, y - 3.5), 2.0, "right")


def _drawn(view: View, corner: Point, scale: float) -> Iterator[Item]:
    for edge in view.edges:
        points = edge.points_mm * scale + np.array(corner)
        layer = "hidden" if edge.is_hidden else "visible"
        if edge.radius_mm is None:
            yield Polyline(points, layer)
        else:
            middle = points[:-1].mean(axis=0)
            yield Circle((float(middle[0]), float(middle[1])), edge.radius_mm * scale, layer)


def _marks(view: View, features: Sequence[RoundFeature], corner: Point, scale: float) -> Iterator[Item]:
    """Mark the middles of round features along which a view looks, with their names."""
    seen: dict[Point, list[RoundFeature]] = {}
    for feature in features:
        if abs(feature.axis[view.depth]) > PARALLEL:
            right, up = view.place(feature.place_mm)
            seen.setdefault((round(right, 2), round(up, 2)), []).append(feature)
    for (right, up), found in seen.items():
        x, y = corner[0] + right * scale, corner[1] + up * scale
        arm = max(1.2, max(each.diameter_mm for each in found) / 2 * scale + 1.0)
        yield _line((x - arm, y), (x + arm, y))
        yield _line((x, y - arm), (x, y + arm))
        names = "/".join(each.name for each in found)
        yield Text(names, (x + 0.7 * arm + 0.4, y + 0.7 * arm + 0.4), 2.0)


def _dimension(start: Point, end: Point, size_mm: float, *, is_upright: bool) -> Iterator[Item]:
    """Draw a dimension above a view, or upright to its left."""
    text = f"{size_mm:.2f}".rstrip("0").rstrip(".")
    if is_upright:
        x = start[0] - DIMENSION_MM
        yield _line((start[0] - 1, start[1]), (x - 1.5, start[1]))
        yield _line((end[0] - 1, end[1]), (x - 1.5, end[1]))
        yield from _arrows((x, start[1]), (x, end[1]))
        yield Text(text, (x - 1.0, (start[1] + end[1]) / 2), TEXT_MM, "center", 90.0)
    else:
        y = start[1] + DIMENSION_MM
        yield _line((start[0], start[1] + 1), (start[0], y + 1.5))
        yield _line((end[0], end[1] + 1), (end[0], y + 1.5))
        yield from _arrows((start[0], y), (end[0], y))
        yield Text(text, ((start[0] + end[0]) / 2, y + 1.0), TEXT_MM, "center")


def _arrows(start: Point, end: Point) -> Iterator[Item]:
    """Draw a line with an arrow at each end: outside of what is too short for both."""
    first, last = np.array(start), np.array(end)
    along = (last - first) / max(float(np.linalg.norm(last - first)), 1e-9)
    is_short = float(np.linalg.norm(last - first)) < 3 * ARROW_MM
    outside = along * (2 * ARROW_MM if is_short else 0.0)
    yield Polyline(np.array([first - outside, last + outside]), "dimensions")
    across = np.array([-along[1], along[0]]) * ARROW_MM / 6
    inwards = -along if is_short else along
    for tip, back in ((first, inwards), (last, -inwards)):
        base = tip + back * ARROW_MM
        yield Polyline(np.array([base + across, tip, base - across]), "dimensions")


def _table(features: Sequence[RoundFeature], corner: Point) -> Iterator[Item]:
    """List holes and pins below the sheet's upper edge."""
    if not features:
        return
    x, top = corner
    yield Text("holes H, pins P: in mm from 0, the lower left corner at the back", (x + 3, top - 5), 2.0)
    rows = [tuple(name for name, _ in COLUMNS), *map(_cells, features)]
    for number, row in enumerate(rows):
        y = top - 5 - (number + 1) * ROW_MM
        for text, (_, place) in zip(row, COLUMNS, strict=True):
            yield Text(text, (x + place, y), 2.0)
        if number == 0:
            yield _line((x, y - 1.2), (x + COLUMN_MM, y - 1.2))


def _cells(feature: RoundFeature) -> tuple[str, ...]:
    places = (f"{each:.2f}" for each in feature.place_mm + 0.0)
    return (feature.name, f"{feature.diameter_mm:.2f}", feature.depth, *places, feature.direction)


def _notes(notes: Sequence[str], corner: Point) -> Iterator[Item]:
    """Write notes above the title block, the first on top."""
    bottom = corner[1] + TITLE_BLOCK_MM[1] + 2.5
    for number, note in enumerate(reversed(notes)):
        yield Text(note, (corner[0] + 3, bottom + number * ROW_MM), 2.0)


def _box(low: Point, high: Point) -> Polyline:
    (x0, y0), (x1, y1) = low, high
    return Polyline(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]), "frame")


def _line(start: Point, end: Point) -> Polyline:
    return Polyline(np.array([start, end]), "dimensions")
