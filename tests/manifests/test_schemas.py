"""Both overlays validate against published schemas: of Kubernetes, of KEDA, and of what we use of two operators."""

import pytest
from cloudcoil.models.keda.v1alpha1 import ScaledObject
from jsonschema import Draft202012Validator
from kubernetes_validate import ValidationError, validate  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType] - it has no types

from tests.manifests.manifests import OVERLAYS, Manifest, build, of_kind

KUBERNETES = "1.37"
OPERATORS = {"keda.sh/v1alpha1", "postgresql.cnpg.io/v1", "cert-manager.io/v1"}
TEXT = {"type": "string"}
RECORD = {"type": "object"}


def require_published_form(manifest: Manifest) -> None:
    """Raise `ValidationError` unless a manifest has the form that Kubernetes publishes, and no other fields."""
    validate(manifest, KUBERNETES, strict=True)  # pyright: ignore[reportUnknownMemberType] - it has no types


def closed(required: tuple[str, ...] = (), **fields: Manifest) -> Manifest:
    """Return the schema of an object with these fields and no others."""
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}


CLUSTER = closed(
    ("instances", "storage"),
    instances={"type": "integer", "minimum": 1},
    imageName=TEXT,
    inheritedMetadata=closed(labels=RECORD),
    bootstrap=closed(
        initdb=closed(
            database=TEXT, owner=TEXT, secret=closed(name=TEXT), encoding=TEXT, localeCollate=TEXT, localeCType=TEXT
        )
    ),
    managed=closed(roles={"type": "array", "items": RECORD}),
    certificates=closed(serverCASecret=TEXT, serverTLSSecret=TEXT, clientCASecret=TEXT, replicationTLSSecret=TEXT),
    postgresql=closed(
        synchronous=closed(("method", "number"), method={"enum": ["any", "first"]}, number={"type": "integer"}),
        pg_hba={"type": "array", "items": TEXT},
        parameters={"type": "object", "additionalProperties": TEXT},
    ),
    storage=closed(size=TEXT),
    walStorage=closed(size=TEXT),
    affinity=closed(topologyKey=TEXT),
    resources=closed(requests=RECORD, limits=RECORD),
)
"""The fields of CloudNativePG's Cluster that we set, by its reference; the operator publishes no package of schemas."""
CERTIFICATE = closed(
    ("secretName", "issuerRef"),
    isCA={"type": "boolean"},
    commonName=TEXT,
    secretName=TEXT,
    duration=TEXT,
    dnsNames={"type": "array", "items": TEXT},
    usages={"type": "array", "items": {"enum": ["server auth", "client auth"]}},
    privateKey=closed(algorithm={"enum": ["ECDSA", "RSA", "Ed25519"]}, size={"type": "integer"}),
    issuerRef=closed(name=TEXT),
)
"""The same for cert-manager."""


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_manifests_have_the_published_form(overlay: str) -> None:
    kinds = [each for each in build(overlay) if each["apiVersion"] not in OPERATORS]
    assert len(kinds) > 30
    for each in kinds:
        require_published_form(each)


def test_unknown_field_is_refused() -> None:
    broken = {**of_kind("dev", "Service")["gateway"], "spec": {"ports": [{"port": 1, "portal": 2}]}}
    with pytest.raises(ValidationError, match="portal"):
        require_published_form(broken)


def test_scaled_objects_have_the_form_of_keda() -> None:
    for each in of_kind("prod", "ScaledObject").values():
        read = ScaledObject.model_validate(each).model_dump(by_alias=True, exclude_unset=True, mode="json")
        assert read["spec"] == each["spec"]


def test_cluster_of_postgres_has_the_form_of_its_operator() -> None:
    Draft202012Validator(CLUSTER).validate(of_kind("prod", "Cluster")["postgres"]["spec"])


def test_certificates_have_the_form_of_cert_manager() -> None:
    for each in of_kind("prod", "Certificate").values():
        Draft202012Validator(CERTIFICATE).validate(each["spec"])
