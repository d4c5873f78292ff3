"""Grafana's dashboards as JSON, from `tools.dashboard_panels`: `python -m tools.dashboards`.

A dashboard that is drawn in Grafana has a hundred lines for each panel, too many to review. Here a panel is a title,
its queries and a unit; the rest follows.
"""

import json
from pathlib import Path
from typing import Any, cast

from tools.dashboard_panels import DASHBOARDS, RUN, Dashboard, Panel, Query

FOLDER = Path(__file__).parents[1] / "deploy" / "observability" / "grafana" / "dashboards"
COLUMNS = 24
STAT = (6, 4)
"""Width and height in Grafana's grid."""
GRAPH = (12, 8)
WIDE = (24, 9)
WHOLE_ROW = {"logs", "traces", "table"}


def documents() -> dict[str, str]:
    """Return the text of each dashboard by its file's name."""
    return {f"{each.uid.removeprefix('millwright-')}.json": _text(each) for each in DASHBOARDS}


def _text(dashboard: Dashboard) -> str:
    head: dict[str, Any] = {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "tags": ["millwright"],
        "editable": False,
        "schemaVersion": 41,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["millwright"], "title": "Millwright", "asDropdown": True}],
        "templating": {"list": [_variable(name) for name in dashboard.variables]},
    }
    panels = ",\n".join(_lines(panel, "  ") for panel in _panels(dashboard))
    return f'{_lines(head).removesuffix("}").rstrip()},\n "panels": [\n{panels}\n ]\n}}\n'


def _lines(value: dict[str, Any], indent: str = "") -> str:
    """Return JSON with one line for each key; a list of objects has one line for each."""
    lines = ",\n".join(f"{indent} {json.dumps(key)}: {_line(part, indent)}" for key, part in value.items())
    return f"{indent}{{\n{lines}\n{indent}}}"


def _line(part: Any, indent: str) -> str:
    if isinstance(part, list):
        items = cast("list[Any]", part)
        inner = ",\n".join(f"{indent}  {json.dumps(each)}" for each in items)
        return f"[\n{inner}\n{indent} ]" if items[1:] else json.dumps(items)
    return json.dumps(part)


def _variable(name: str) -> dict[str, Any]:
    return {"name": name, "label": f"id of the {name}", "type": "textbox", "query": "", "current": {"value": ""}}


def _panels(dashboard: Dashboard) -> list[dict[str, Any]]:
    """Return the panels, placed from left to right and from top to bottom."""
    placed: list[dict[str, Any]] = []
    x = y = row_height = 0
    for number, panel in enumerate(dashboard.panels, 1):
        width, height = STAT if panel.shape == "stat" else WIDE if panel.shape in WHOLE_ROW else GRAPH
        if x + width > COLUMNS or height != row_height:
            x, y, row_height = 0, y + row_height, height
        placed.append({"id": number, **_panel(panel), "gridPos": {"x": x, "y": y, "w": width, "h": height}})
        x += width
    return placed


def _panel(panel: Panel) -> dict[str, Any]:
    source = {"type": panel.source, "uid": panel.source}
    targets = [{"refId": chr(ord("A") + place), "datasource": source, **_target(panel, query)}
               for place, query in enumerate(panel.queries)]  # fmt: skip
    described = {"description": panel.hint} if panel.hint else {}
    return {
        "title": panel.title,
        **described,
        "type": panel.shape,
        "datasource": source,
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "links": _links(panel)}, "overrides": []},
    }


def _target(panel: Panel, query: Query) -> dict[str, Any]:
    if panel.source == "tempo":
        return {"queryType": "traceql", "query": query.text, "limit": 100, "tableType": "traces"}
    if panel.source == "loki":
        return {"expr": query.text, "queryType": "range", "maxLines": 1000}
    legend = {"legendFormat": query.legend} if query.legend else {}
    return {"expr": query.text, **legend, **({"instant": True} if panel.shape == "stat" else {})}


def _links(panel: Panel) -> list[dict[str, Any]]:
    """Return the link from a row of a table of traces to its trace in this dashboard."""
    if (panel.source, panel.shape) != ("tempo", "table"):
        return []
    url = f"/d/millwright-run?var-run={RUN}&var-trace=${{__data.fields.traceID}}"
    return [{"title": "show this trace", "url": url}]


def main() -> None:
    """Write all dashboards."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
