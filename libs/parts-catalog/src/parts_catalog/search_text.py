"""Search text of a catalog part: its names, synonyms of its kind, and its sizes as people write them."""

from contracts.models.catalog import CatalogPart

SYNONYMS: dict[str, str] = {
    "dc_gearmotor": "gear motor gearmotor geared dc motor drive",
    "rc_servo": "servo rc hobby servomotor motor position",
    "stepper": "stepper step motor nema",
    "socket_head_cap_screw": "socket head cap screw bolt allen hex socket",
    "button_head_screw": "button head screw bolt",
    "set_screw": "set grub screw headless",
    "hex_head_screw": "hex head screw bolt hexagon",
    "countersunk_screw": "countersunk flat head screw bolt",
    "hex_nut": "hex nut hexagon",
    "flange_nut": "hex nut flange flanged",
    "washer": "washer plain flat",
    "deep_groove_ball": "ball bearing deep groove roller",
    "plain": "plain bearing bushing sleeve slide",
    "profile_rail": "linear profile rail guide guideway slide mgn",
    "carriage": "linear carriage block slide guideway rail mgn",
    "linear_ball": "linear ball bearing bushing slide shaft",
    "linear_block": "linear bearing block housing slide shaft",
    "heat_set_insert": "heat set heatset threaded insert brass",
    "rack": "gear rack toothed bar",
    "sprocket": "sprocket chain wheel roller chain",
    "spur": "spur gear wheel pinion cog",
    "round": "shaft rod axle round bar pin",
    "extrusion": "extrusion profile rail beam",
    "compression": "compression spring coil",
}
"""By subcategory."""


def search_text(part: CatalogPart) -> str:
    """Return the text that full text search indexes for a part."""
    sizes: list[str] = []
    if part.fastener is not None:
        thread = f"M{part.fastener.d_mm:g}"
        sizes.append(thread)
        if part.fastener.length_mm is not None:
            sizes += [f"{thread}x{part.fastener.length_mm:g}", f"{part.fastener.length_mm:g} mm"]
    else:
        sizes += [f"{part.figures[name]:g} mm" for name in ("d_mm", "length_mm") if name in part.figures]
    if part.gear is not None:
        sizes += [f"module {part.gear.module_mm:g}", f"{part.gear.teeth} teeth"]
    if part.sprocket is not None:
        sizes += [part.sprocket.chain, f"{part.sprocket.teeth} teeth"]
    if part.motor is not None:
        sizes.append(f"{part.motor.voltage_v:g} V")
    kind = SYNONYMS.get(part.subcategory, part.subcategory)
    return " ".join([part.id, *part.aliases, part.name, part.category, kind.replace("_", " "), *sizes])
