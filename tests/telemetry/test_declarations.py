"""The declared names: OpenTelemetry's where it has some, and the same in documents and dashboards."""

# pyright: reportMissingTypeStubs=false
# the conventions have none

import json
from itertools import product
from typing import Any

import opentelemetry.semconv._incubating.attributes.gen_ai_attributes as gen_ai
import pytest
import yaml
from chassis.observability import declarations
from chassis.observability.declarations import METRICS
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.semconv.attributes import error_attributes, http_attributes
from opentelemetry.semconv.metrics import http_metrics

from tests.architecture.repository import ROOT
from tests.support.telemetry.queries import OBSERVABILITY
from tools import dashboards, metrics_reference

CONVENTIONS = (gen_ai, gen_ai_metrics, error_attributes, http_attributes, http_metrics)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.observability.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))["services"]
OBSERVERS = ("collector", "prometheus", "tempo", "loki", "grafana")


def _standard_names() -> set[str]:
    return {value for module in CONVENTIONS for value in vars(module).values() if isinstance(value, str)}


def test_names_of_the_conventions_exist_in_them() -> None:
    own = [value for value in vars(declarations).values() if isinstance(value, str)] + [each.name for each in METRICS]
    foreign = {name for name in own if name.startswith(("gen_ai.", "http.", "error."))}
    assert len(foreign) > 12
    assert foreign - _standard_names() == set()


def test_names_are_declared_once() -> None:
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    assert all(bool(metric.bounds) == (metric.kind == "histogram") for metric in METRICS)


def test_no_other_product_source_writes_a_declared_name() -> None:
    names = [metric.name for metric in METRICS] + ["millwright.run_id", "gen_ai.usage"]
    written = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("libs", "services", "apps")
        for path in (ROOT / folder).rglob("src/**/*.py")
        if path.name != "declarations.py"
        for name in names
        if f'"{name}' in path.read_text("utf-8")
    ]
    assert written == []


@pytest.mark.parametrize("name", sorted(dashboards.documents()))
def test_dashboard_is_what_its_panels_say(name: str) -> None:
    """To bring it up to date: `python -m tools.dashboards`."""
    text = (dashboards.FOLDER / name).read_text("utf-8")
    assert text == dashboards.documents()[name]
    placed = [panel["gridPos"] for panel in json.loads(text)["panels"]]
    cells = [cell for at in placed for cell in product(_span(at["x"], at["w"]), _span(at["y"], at["h"]))]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < dashboards.COLUMNS


def _span(begin: int, length: int) -> range:
    return range(begin, begin + length)


def test_no_dashboard_is_left_over() -> None:
    assert {path.name for path in dashboards.FOLDER.iterdir()} == set(dashboards.documents())


def test_tables_of_the_page_are_those_of_the_declarations() -> None:
    """To bring them up to date: `python -m tools.metrics_reference`."""
    page = metrics_reference.PAGE.read_text("utf-8")
    assert page == metrics_reference.with_tables(page)


def test_every_service_has_the_address_of_the_collector() -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    exporting = {name for name, each in COMPOSE["services"].items() if each.get("environment") == endpoint}
    assert exporting == {name for name, each in SERVICES.items() if _is_ours(name, each)}


def _is_ours(name: str, service: dict[str, Any]) -> bool:
    return str(service.get("image", "")).startswith("millwright/") and name not in {"nats", "migrate", "backup", "cli"}


@pytest.mark.parametrize("name", OBSERVERS)
def test_image_is_pinned_and_its_files_exist(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["image"].rsplit(":", 1)[1].strip("v}")[0].isdigit()
    for volume in service["volumes"]:
        source = volume.partition(":")[0]
        assert source in COMPOSE["volumes"] or (ROOT / "deploy" / source).exists()


def test_data_sources_are_those_of_the_dashboards() -> None:
    listed = yaml.safe_load((OBSERVABILITY / "grafana/provisioning/datasources/datasources.yaml").read_text("utf-8"))
    found = {each["uid"] for each in listed["datasources"]}
    used = {
        panel["datasource"]["uid"] for text in dashboards.documents().values() for panel in json.loads(text)["panels"]
    }
    assert used == found
