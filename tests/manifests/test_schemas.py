"""Both overlays validate against published schemas: of Kubernetes, KEDA, cert-manager, CloudNativePG and Prometheus.

Kubernetes' are complete. Those of KEDA 2.16, cert-manager 1.17 and the Prometheus operator 0.80, the newest for this
Python, are of earlier versions than deploy/k8s installs, so they know no field that those lack; they and that of
CloudNativePG have no patterns and bounds.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache, reduce
from importlib import import_module
from operator import getitem

import jsonschema
import kubernetes_validate  # pyright: ignore[reportMissingTypeStubs] - it has no types
import pytest
from kubernetes_validate import utils  # pyright: ignore[reportMissingTypeStubs] - it has no types

from tests.manifests.cluster_schema import FILE
from tests.manifests.manifests import OVERLAYS, Manifest, build

KUBERNETES = "1.37"
MODELS = {
    "ScaledObject": "keda.v1alpha1",
    "Certificate": "cert_manager.v1",
    "Issuer": "cert_manager.v1",
    "ServiceMonitor": "prometheus_operator.v1",
    "PrometheusRule": "prometheus_operator.v1",
    "AlertmanagerConfig": "prometheus_operator.v1alpha1",
}
"""Modules of cloudcoil.models by kind of an operator: imported when they are asked for, which takes seconds."""
OPERATORS = {*MODELS, "Cluster"}
REFUSED = (jsonschema.ValidationError, kubernetes_validate.ValidationError)


@cache
def examples() -> dict[str, Manifest]:
    """Return the last manifest of each kind."""
    return {each["kind"]: each for overlay in OVERLAYS for each in build(overlay)}


@pytest.fixture(autouse=True, scope="module")
def read_schemas_once() -> Iterator[None]:
    """The library reads megabytes of definitions again for every manifest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", cache(utils.schema_contents))
        yield


def require_published_form(manifest: Manifest) -> None:
    """Raise one of `REFUSED` unless a manifest has the form that is published for its kind, and no other fields."""
    if manifest["kind"] in OPERATORS:
        jsonschema.Draft202012Validator(schema_of(manifest["kind"])).validate(manifest)  # pyright: ignore[reportUnknownMemberType] - its own types are partial
    else:
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)  # pyright: ignore[reportUnknownMemberType] - it has no types


@cache
def schema_of(kind: str) -> Manifest:
    """Return the schema of an operator's kind."""
    if kind not in MODELS:
        return json.loads(FILE.read_text("utf-8"))
    model = getattr(import_module(f"cloudcoil.models.{MODELS[kind]}"), kind)
    return closed(model.model_json_schema())


def closed(schema: Manifest) -> Manifest:
    """Return a schema of pydantic whose objects have no other fields than it names."""
    definitions = {name: _closed_object(each) for name, each in schema["$defs"].items()}
    return {**_closed_object(schema), "$defs": definitions}


def _closed_object(schema: Manifest) -> Manifest:
    return {"additionalProperties": False, **schema} if "properties" in schema else schema


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_manifests_have_the_published_form(overlay: str) -> None:
    manifests = build(overlay)
    assert len(manifests) > 30
    for each in manifests:
        require_published_form(each)


@pytest.mark.parametrize("field", ["", "spec"])
def test_unknown_field_is_refused(field: str) -> None:
    """Kinds without a spec have only the manifest itself."""
    for example in examples().values():
        broken = deepcopy(example)
        broken.get(field, broken)["unknownField"] = 1
        with pytest.raises(REFUSED, match="unknownField"):
            require_published_form(broken)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Service", ("ports", 0, "portal"), 2),
        ("Cluster", ("storage", "sizes"), "50Gi"),
        ("Cluster", ("instances",), "3"),
        ("Cluster", ("postgresql", "synchronous", "method"), "every"),
        ("Cluster", ("postgresql", "parameters", "max_connections"), 400),
        ("Certificate", ("usages",), ["server authentication"]),
        ("Certificate", ("issuerRef",), {}),
        ("Issuer", ("ca",), {}),
        ("ScaledObject", ("scaleTargetRef",), "planner"),
        ("ScaledObject", ("triggers", 0, "metadata", "lagThreshold"), 20),
    ],
)
def test_wrong_value_in_spec_is_refused(kind: str, path: tuple[str | int, ...], value: object) -> None:
    broken = deepcopy(examples()[kind])
    *above, field = path
    reduce(getitem, above, broken["spec"])[field] = value  # pyright: ignore[reportIndexIssue, reportArgumentType] - of JSON
    with pytest.raises(REFUSED):
        require_published_form(broken)
