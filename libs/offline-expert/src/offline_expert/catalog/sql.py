"""From what is wanted to SQL over the catalog: by figures first, and by words alone when that finds nothing."""

# ruff: noqa: S608
# Nothing but numbers, and words of letters and digits, gets into a query; and what runs it can only read the catalog.

import re

from offline_expert.catalog.request import Wanted

_MOTOR_KINDS = {"servo": "rc_servo", "stepper": "stepper"}
_HEADS = {"nut": "%nut%", "washer": "%washer%", "screw": "%screw%"}
_NO_CLUE = frozenset(("with", "that", "the", "and", "for", "cheap", "cheapest", "least", "most", "about", "some"))


def by_figures(wanted: Wanted) -> str:
    """Return a query for the figures that the words name."""
    if wanted.kind in ("motor", *_MOTOR_KINDS):
        return _motors(wanted)
    if wanted.kind in _HEADS:
        return _fasteners(wanted)
    if wanted.kind == "bearing" and (wanted.bearing_code or wanted.bore_mm):
        return _bearings(wanted)
    if wanted.kind == "sprocket" and wanted.teeth:
        return _sprockets(wanted)
    if wanted.kind == "gear" and (wanted.teeth or wanted.module_mm):
        return _gears(wanted)
    return by_words(wanted)


def by_words(wanted: Wanted) -> str:
    """Return a full text query for any of the words, what has most of them first."""
    words = [word for word in re.findall(r"[a-z0-9]+", wanted.words.lower()) if len(word) > 1 and word not in _NO_CLUE]
    query = f"to_tsquery('english', '{' | '.join(words[:20]) or 'nothing'}')"
    price = _at_most("from_usd", wanted.max_usd)
    return (
        "SELECT part_id, name, category, from_usd, mass_g, confidence FROM part_search "
        f"WHERE searched @@ {query}{price} ORDER BY ts_rank(searched, {query}) DESC, from_usd LIMIT {wanted.limit}"
    )


def _motors(wanted: Wanted) -> str:
    where = ["true"]
    where += [f"kind = '{_MOTOR_KINDS[wanted.kind]}'"] if wanted.kind in _MOTOR_KINDS else []
    where += (
        [f"voltage_v BETWEEN {0.9 * wanted.voltage_v:g} AND {1.1 * wanted.voltage_v:g}"] if wanted.voltage_v else []
    )
    order = "from_usd, mass_g, stall_torque_n_m"
    speed_rad_s = wanted.speed_rad_s or 0.0
    if wanted.torque_n_m:
        # a motor's torque falls in a straight line from stall to no load
        where.append(f"stall_torque_n_m * (1 - {speed_rad_s:g} / no_load_speed_rad_s) >= {wanted.torque_n_m:g}")
        if not wanted.is_brief:
            order = f"(coalesce(continuous_torque_n_m, 0) >= {wanted.torque_n_m:g}) DESC, {order}"
    elif speed_rad_s:
        where.append(f"no_load_speed_rad_s >= {speed_rad_s:g}")
    return (
        "SELECT part_id, name, from_usd, mass_g, stall_torque_n_m, continuous_torque_n_m, no_load_speed_rad_s, "
        "voltage_v, control, confidence FROM part_search JOIN motor USING (part_id) "
        f"WHERE {' AND '.join(where)}{_at_most('from_usd', wanted.max_usd)} ORDER BY {order} LIMIT {wanted.limit}"
    )


def _fasteners(wanted: Wanted) -> str:
    where = [f"head LIKE '{_HEADS[wanted.kind]}'"]
    where += [f"d_mm = {wanted.thread_mm:g}"] if wanted.thread_mm else []
    order = "from_usd"
    if wanted.length_mm and wanted.kind == "screw":
        where.append(f"length_mm BETWEEN {0.75 * wanted.length_mm:g} AND {1.25 * wanted.length_mm:g}")
        order = f"abs(length_mm - {wanted.length_mm:g}), from_usd"
    for word in ("button", "set", "countersunk", "hex head"):
        head = f"head LIKE '{word.replace(' ', '_')}%'"
        where += [head] if re.search(rf"\b{word}\b", wanted.words, re.IGNORECASE) else []
    return (
        "SELECT part_id, name, from_usd, mass_g, d_mm, length_mm, head, grade, confidence "
        "FROM part_search JOIN fastener USING (part_id) "
        f"WHERE {' AND '.join(where)} ORDER BY {order} LIMIT {wanted.limit}"
    )


def _bearings(wanted: Wanted) -> str:
    where = f"code = '{wanted.bearing_code}'" if wanted.bearing_code else f"bore_mm = {wanted.bore_mm:g}"
    return (
        "SELECT part_id, name, from_usd, mass_g, code, bore_mm, od_mm, width_mm, dyn_load_n, confidence "
        f"FROM part_search JOIN bearing USING (part_id) WHERE {where} ORDER BY from_usd LIMIT {wanted.limit}"
    )


def _gears(wanted: Wanted) -> str:
    where = [f"teeth = {wanted.teeth}"] if wanted.teeth else []
    where += [f"module_mm = {wanted.module_mm:g}"] if wanted.module_mm else []
    where += [f"bore_mm = {wanted.bore_mm:g}"] if wanted.bore_mm else []
    return (
        "SELECT part_id, name, from_usd, mass_g, module_mm, teeth, pitch_d_mm, face_width_mm, bore_mm, confidence "
        f"FROM part_search JOIN gear USING (part_id) WHERE {' AND '.join(where)} ORDER BY from_usd LIMIT {wanted.limit}"
    )


def _sprockets(wanted: Wanted) -> str:
    chain = re.search(r"\b0[568]B\b", wanted.words, re.IGNORECASE)
    where = [f"teeth = {wanted.teeth}", *([f"chain = '{chain[0].upper()}-1'"] if chain else [])]
    return (
        "SELECT part_id, name, from_usd, mass_g, chain, pitch_mm, teeth, pitch_d_mm, bore_mm, confidence "
        "FROM part_search JOIN sprocket USING (part_id) "
        f"WHERE {' AND '.join(where)} ORDER BY from_usd LIMIT {wanted.limit}"
    )


def _at_most(column: str, value: float | None) -> str:
    return "" if value is None else f" AND {column} <= {value:g}"
