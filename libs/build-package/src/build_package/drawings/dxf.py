"""A drawing sheet as DXF, on the part's own scale: a millimetre of the part is one unit."""

# pyright: basic, reportMissingTypeStubs=false, reportPrivateImportUsage=false
# ezdxf leaves many of its types open; the function that others call is fully annotated.

from io import StringIO

import ezdxf
from ezdxf import units
from ezdxf.enums import TextEntityAlignment
from ezdxf.layouts import Modelspace

from build_package.drawings.sheet import Circle, Item, Polyline, Sheet

_LAYERS = {"visible": (7, "CONTINUOUS", 50), "hidden": (8, "DASHED", 25), "dimensions": (3, "CONTINUOUS", 18)}
_LAYERS |= {"frame": (7, "CONTINUOUS", 35), "text": (7, "CONTINUOUS", 25)}
"""Colour (ACI), line type and line weight (1/100 mm)."""
_ALIGNMENTS = {
    "left": TextEntityAlignment.LEFT,
    "center": TextEntityAlignment.CENTER,
    "right": TextEntityAlignment.RIGHT,
}


def as_dxf(sheet: Sheet) -> bytes:
    """Return the sheet as DXF of release 2010, in millimetres."""
    ezdxf.options.write_fixed_meta_data_for_testing = True  # no times and random ids: equal sheets give equal bytes
    document = ezdxf.new("R2010", setup=["linetypes"], units=units.MM)
    document.header["$LTSCALE"] = 1 / sheet.scale
    for name, (color, line_type, weight) in _LAYERS.items():
        document.layers.add(name.upper(), color=color, linetype=line_type, lineweight=weight)
    space = document.modelspace()
    for item in sheet.items:
        _add(space, item, 1 / sheet.scale)
    stream = StringIO()
    document.write(stream)
    return stream.getvalue().encode()


def _add(space: Modelspace, item: Item, scale: float) -> None:
    if isinstance(item, Polyline):
        look = {"layer": item.layer.upper()}
        if len(item.points_mm) == 2:
            space.add_line(*(tuple(point) for point in item.points_mm * scale), dxfattribs=look)
        else:
            space.add_lwpolyline([tuple(point) for point in item.points_mm * scale], dxfattribs=look)
    elif isinstance(item, Circle):
        center = (item.center_mm[0] * scale, item.center_mm[1] * scale)
        space.add_circle(center, item.radius_mm * scale, dxfattribs={"layer": item.layer.upper()})
    else:
        look = {"layer": "TEXT", "rotation": item.turned_deg}
        written = space.add_text(item.text, height=item.height_mm * scale, dxfattribs=look)
        place = (item.at_mm[0] * scale, item.at_mm[1] * scale)
        written.set_placement(place, align=_ALIGNMENTS[item.anchor])
