"""The cell that prints the benchmark's facts: zones, payload, limits, and the solids as boxes.

A solid that does not fill its bounding box is cut into boxes at the coordinates of its vertices, so that a doorway or
the space under a table is free; a box that is turned about the vertical is given as such. Pieces that still do not
fill their boxes are named as curved. An obstacle that its
solids do not fill is forbidden like a zone: what is inside it may move.
"""

FACTS = ("<<<FACTS", "FACTS>>>")
"""Markers around the JSON. The cell's code splits them, so that its echo is not read as an answer."""

FACTS_CODE = """\
import json
from math import atan2, degrees

from build123d import Box, Pos, Rot

MAX_CUTS, MAX_PIECES = 7, 24

def corners(low, high):
    return [[round(value, 3) for value in low], [round(value, 3) for value in high]]

def zone(box):
    return corners(box.min_mm, box.max_mm)

def bounds(shape):
    box = shape.bounding_box()
    return tuple(box.min), tuple(box.max)

def common(solid, other):
    found = solid & other
    return [] if found is None else list(found) if isinstance(found, (list, tuple)) else [found]

def inside(solid, low, high):
    size = [b - a for a, b in zip(low, high)]
    found = common(solid, Pos(*[(a + b) / 2 for a, b in zip(low, high)]) * Box(*size))
    return found, sum(each.volume for each in found) / (size[0] * size[1] * size[2])

def cuts(solid, low, high):
    for axis in range(3):
        found = {round((vertex.X, vertex.Y, vertex.Z)[axis], 3) for vertex in solid.vertices()}
        found = sorted(found | {round(low[axis], 3), round(high[axis], 3)})
        if len(found) > MAX_CUTS:
            found = [low[axis] + (high[axis] - low[axis]) * step / 4 for step in range(5)]
        yield list(zip(found, found[1:]))

def joined(boxes):
    for one in boxes:
        for other in boxes:
            differ = [axis for axis in range(3) if (one[0][axis], one[1][axis]) != (other[0][axis], other[1][axis])]
            if len(differ) == 1 and one[1][differ[0]] == other[0][differ[0]]:
                return joined([each for each in boxes if each not in (one, other)] + [[one[0], other[1]]])
    return boxes

def pieces(solid):
    low, high = bounds(solid)
    if inside(solid, low, high)[1] > 0.999:
        return [corners(low, high)], []
    full, partial = [], []
    xs, ys, zs = cuts(solid, low, high)
    for x in xs:
        for y in ys:
            for z in zs:
                ends = (x[0], y[0], z[0]), (x[1], y[1], z[1])
                found, share = inside(solid, *ends)
                if share > 0.999:
                    full.append(corners(*ends))
                elif share > 0.001:
                    partial += [corners(*bounds(each)) for each in found]
    full = joined(full)
    return (full, partial) if len(full) + len(partial) <= MAX_PIECES else ([], [corners(low, high)])

def turned(solid):
    normals = [face.normal_at() for face in solid.faces() if str(face.geom_type).endswith("PLANE")]
    for normal in normals:
        yaw = degrees(atan2(normal.Y, normal.X)) % 90
        if abs(normal.Z) < 0.001 and 0.1 < yaw < 89.9:
            low, high = bounds(Rot(0, 0, -yaw) * solid)
            if solid.volume > 0.999 * (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]):
                return [*corners(low, high), round(yaw, 3)]

def is_filled(box):
    return sum(inside(solid, box.min_mm, box.max_mm)[1] for solid in environment.solids()) > 0.9

def room_mm():
    start, half, low = benchmark.payload.start_mm, max(benchmark.payload.extents_mm) / 2, benchmark.bounds.min_mm[2]
    bottom = start[2] - half
    column = Pos(start[0], start[1], (bottom + low) / 2) * Box(half, half, bottom - low)
    tops = [each.bounding_box().max.Z for solid in environment.solids() for each in common(solid, column)]
    return round(bottom - max(tops), 3) if tops else None

def moves(child):
    return "material_id" in (getattr(child, "metadata", None) or {})

whole = [
    (moves(child), solid, None if moves(child) else turned(solid))
    for child, solid in zip(environment.children, environment.solids(), strict=True)
]
parts = [(moving, pieces(solid)) for moving, solid, box in whole if box is None]
full = [(piece, moving) for moving, each in parts for piece in each[0]]
partial = [(piece, moving) for moving, each in parts for piece in each[1]]
swept = [zone(each.box) for each in benchmark.obstacles if not is_filled(each.box)]
facts = {
    "build": zone(benchmark.build_zone),
    "goal": zone(benchmark.goal_zone),
    "forbids": [zone(each.box) for each in benchmark.forbid_zones if each.binds != "payload"] + swept,
    "payload_forbids": [zone(each.box) for each in benchmark.forbid_zones if each.binds != "parts"] + swept,
    "solids": [piece for piece, _ in full + partial],
    "curved": list(range(len(full), len(full) + len(partial))),
    "moving": [index for index, (_, moving) in enumerate(full + partial) if moving],
    "turned": [box for _, _, box in whole if box is not None],
    "shape": benchmark.payload.shape,
    "size_mm": max(benchmark.payload.extents_mm),
    "start_mm": [round(value, 3) for value in benchmark.payload.start_mm],
    "friction": benchmark.payload.friction,
    "hold_s": benchmark.hold_s,
    "goal_rule": benchmark.goal_rule,
    "room_mm": room_mm(),
    "max_price_usd": limits.max_unit_price_usd,
}
print("<<<" + "FACTS", json.dumps(facts, separators=(",", ":")), "FACTS" + ">>>")"""
