"""SQL queries for a request: by its figures, and by its text if these find nothing."""

# ruff: noqa: S608
# Queries contain only numbers and words of letters and digits, and run with read-only access to the catalog.

import re

from offline_expert.catalog.request import PartRequest

_MOTOR_KINDS = {"servo": "rc_servo", "stepper": "stepper"}
_HEADS = {"nut": "%nut%", "washer": "%washer%", "screw": "%screw%"}
_STOP_WORDS = frozenset(("with", "that", "the", "and", "for", "cheap", "cheapest", "least", "most", "about", "some"))


def by_figures(request: PartRequest) -> str:
    """Return a query for the figures of the request."""
    if request.kind in ("motor", *_MOTOR_KINDS):
        return _motors(request)
    if request.kind in _HEADS:
        return _fasteners(request)
    if request.kind == "bearing" and (request.bearing_code or request.bore_mm):
        return _bearings(request)
    if request.kind == "sprocket" and request.teeth:
        return _sprockets(request)
    if request.kind == "gear" and (request.teeth or request.module_mm):
        return _gears(request)
    return by_text(request)


def by_text(request: PartRequest) -> str:
    """Return a full text query for any of the words, best matches first."""
    words = [
        word for word in re.findall(r"[a-z0-9]+", request.text.lower()) if len(word) > 1 and word not in _STOP_WORDS
    ]
    query = f"to_tsquery('english', '{' | '.join(words[:20]) or 'nothing'}')"
    price = _at_most("from_usd", request.max_usd)
    return (
        "SELECT part_id, name, category, from_usd, mass_g, confidence FROM part_search "
        f"WHERE searched @@ {query}{price} ORDER BY ts_rank(searched, {query}) DESC, from_usd LIMIT {request.limit}"
    )


def _motors(request: PartRequest) -> str:
    where = ["true"]
    where += [f"kind = '{_MOTOR_KINDS[request.kind]}'"] if request.kind in _MOTOR_KINDS else []
    where += (
        [f"voltage_v BETWEEN {0.9 * request.voltage_v:g} AND {1.1 * request.voltage_v:g}"] if request.voltage_v else []
    )
    order = "from_usd, mass_g, stall_torque_n_m"
    speed_rad_s = request.speed_rad_s or 0.0
    if request.torque_n_m:
        # a motor's torque falls in a straight line from stall to no load
        where.append(f"stall_torque_n_m * (1 - {speed_rad_s:g} / no_load_speed_rad_s) >= {request.torque_n_m:g}")
        if not request.is_brief:
            order = f"(coalesce(continuous_torque_n_m, 0) >= {request.torque_n_m:g}) DESC, {order}"
    elif speed_rad_s:
        where.append(f"no_load_speed_rad_s >= {speed_rad_s:g}")
    return (
        "SELECT part_id, name, from_usd, mass_g, stall_torque_n_m, continuous_torque_n_m, no_load_speed_rad_s, "
        "voltage_v, control, confidence FROM part_search JOIN motor USING (part_id) "
        f"WHERE {' AND '.join(where)}{_at_most('from_usd', request.max_usd)} ORDER BY {order} LIMIT {request.limit}"
    )


def _fasteners(request: PartRequest) -> str:
    where = [f"head LIKE '{_HEADS[request.kind]}'"]
    where += [f"d_mm = {request.thread_mm:g}"] if request.thread_mm else []
    order = "from_usd"
    if request.length_mm and request.kind == "screw":
        where.append(f"length_mm BETWEEN {0.75 * request.length_mm:g} AND {1.25 * request.length_mm:g}")
        order = f"abs(length_mm - {request.length_mm:g}), from_usd"
    for word in ("button", "set", "countersunk", "hex head"):
        head = f"head LIKE '{word.replace(' ', '_')}%'"
        where += [head] if re.search(rf"\b{word}\b", request.text, re.IGNORECASE) else []
    return (
        "SELECT part_id, name, from_usd, mass_g, d_mm, length_mm, head, grade, confidence "
        "FROM part_search JOIN fastener USING (part_id) "
        f"WHERE {' AND '.join(where)} ORDER BY {order} LIMIT {request.limit}"
    )


def _bearings(request: PartRequest) -> str:
    where = f"code = '{request.bearing_code}'" if request.bearing_code else f"bore_mm = {request.bore_mm:g}"
    return (
        "SELECT part_id, name, from_usd, mass_g, code, bore_mm, od_mm, width_mm, dyn_load_n, confidence "
        f"FROM part_search JOIN bearing USING (part_id) WHERE {where} ORDER BY from_usd LIMIT {request.limit}"
    )


def _gears(request: PartRequest) -> str:
    where = [f"teeth = {request.teeth}"] if request.teeth else []
    where += [f"module_mm = {request.module_mm:g}"] if request.module_mm else []
    where += [f"bore_mm = {request.bore_mm:g}"] if request.bore_mm else []
    return (
        "SELECT part_id, name, from_usd, mass_g, module_mm, teeth, pitch_d_mm, face_width_mm, bore_mm, confidence "
        "FROM part_search JOIN gear USING (part_id) "
        f"WHERE {' AND '.join(where)} ORDER BY from_usd LIMIT {request.limit}"
    )


def _sprockets(request: PartRequest) -> str:
    chain = re.search(r"\b0[568]B\b", request.text, re.IGNORECASE)
    where = [f"teeth = {request.teeth}", *([f"chain = '{chain[0].upper()}-1'"] if chain else [])]
    return (
        "SELECT part_id, name, from_usd, mass_g, chain, pitch_mm, teeth, pitch_d_mm, bore_mm, confidence "
        "FROM part_search JOIN sprocket USING (part_id) "
        f"WHERE {' AND '.join(where)} ORDER BY from_usd LIMIT {request.limit}"
    )


def _at_most(column: str, value: float | None) -> str:
    return "" if value is None else f" AND {column} <= {value:g}"
