"""Rules for every pod of both overlays: confinement, limits, probes, spread, images, and what they refer to."""

import re

import pytest
import yaml

from tests.deploy.test_images import COMPOSE
from tests.manifests.manifests import K8S, OURS, OVERLAYS, Manifest, Pod, build, of_kind, pod, pods, secrets

every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)
every_service = pytest.mark.parametrize("service", OURS)
MADE_BY_OPERATORS = {"client-tls"}
"""Secrets that cert-manager creates: each needs a Certificate."""
PARALLEL_JOBS = {
    "cad-worker": "KERNEL_PARALLEL_JOBS",
    "sim-worker": "SIM_PARALLEL_JOBS",
    "perception-worker": "PERCEPTION_PARALLEL_JOBS",
}
UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "k": 10**3, "m": 2**20, "g": 2**30}
"""Of memory; the last two as Compose writes them."""


def size_of(amount: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", amount).groups()  # pyright: ignore[reportOptionalMemberAccess] - a failure of the test
    return int(number) * UNITS[unit]


@every_overlay
def test_pod_follows_the_restricted_standard(overlay: str) -> None:
    for each in pods(overlay):
        context = each.spec["securityContext"]
        assert context["runAsNonRoot"] is True, each.name
        assert context["runAsUser"] > 0, each.name
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}, each.name
        for container in each.all_containers:
            confined = container["securityContext"]
            assert confined["allowPrivilegeEscalation"] is False, each.name
            assert confined["capabilities"] == {"drop": ["ALL"]}, each.name
            assert not confined.get("privileged"), each.name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & each.spec.keys(), each.name
        volumes = each.spec.get("volumes", ())
        assert all(volume.keys() & {"emptyDir", "secret", "configMap"} for volume in volumes), each.name


@every_overlay
def test_pod_writes_only_where_it_must(overlay: str) -> None:
    for each in pods(overlay):
        assert all(one["securityContext"]["readOnlyRootFilesystem"] is True for one in each.all_containers), each.name
        assert all(one["emptyDir"]["sizeLimit"] for one in each.spec.get("volumes", ()) if "emptyDir" in one), each.name


@every_overlay
def test_pod_has_no_key_of_the_cluster_and_no_links(overlay: str) -> None:
    """Links would set variables such as GATEWAY_PORT, which are settings."""
    for each in pods(overlay):
        assert each.spec["automountServiceAccountToken"] is False, each.name
        assert each.spec["enableServiceLinks"] is False, each.name


@every_overlay
def test_pod_has_requests_and_a_limit_of_memory(overlay: str) -> None:
    for each in pods(overlay):
        for container in each.all_containers:
            resources = container["resources"]
            assert {"cpu", "memory"} <= resources["requests"].keys(), each.name
            assert size_of(resources["requests"]["memory"]) <= size_of(resources["limits"]["memory"]), each.name


@every_overlay
def test_image_has_an_exact_version(overlay: str) -> None:
    for each in pods(overlay):
        for container in each.all_containers:
            version = container["image"].rpartition("/")[2].partition(":")[2]
            assert version not in {"", "latest", "version"}, each.name
            assert overlay != "prod" or re.search(r"\d+\.\d+", version), each.name


@every_overlay
def test_referenced_keys_exist(overlay: str) -> None:
    maps, certificates = of_kind(overlay, "ConfigMap"), of_kind(overlay, "Certificate")
    made = {certificate["spec"]["secretName"] for certificate in certificates.values()}
    for each in pods(overlay):
        require_references(each, maps, made)


def require_references(each: Pod, maps: dict[str, Manifest], made: set[str]) -> None:
    for variable in each.container.get("env", ()):
        source = variable.get("valueFrom", {})
        if "secretKeyRef" in source:
            reference = source["secretKeyRef"]
            assert reference.get("optional") or reference["key"] in secrets()[reference["name"]], each.name
        if "configMapKeyRef" in source:
            reference = source["configMapKeyRef"]
            assert reference.get("optional") or reference["key"] in maps[reference["name"]]["data"], each.name
    for source in each.container.get("envFrom", ()):
        assert source.get("configMapRef", {"name": None})["name"] in {None, *maps}, each.name
        assert source.get("secretRef", {"name": None})["name"] in {None, *secrets()}, each.name
    for volume in each.spec.get("volumes", ()):
        assert volume.get("configMap", {"name": None})["name"] in {None, *maps}, each.name
        assert volume.get("secret", {"secretName": None})["secretName"] in {None, *made & MADE_BY_OPERATORS}, each.name


@every_overlay
def test_every_service_has_a_manifest(overlay: str) -> None:
    """A new service: a folder in deploy/k8s/services, and a line in deploy/k8s/base/kustomization.yaml."""
    missing = set(OURS) - of_kind(overlay, "Deployment").keys()
    assert not missing, f"without a manifest in deploy/k8s/services: {', '.join(sorted(missing))}"


@every_service
@every_overlay
def test_service_is_probed_on_its_own_health(overlay: str, service: str) -> None:
    container = pod(overlay, service).container
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    given = {each["name"]: each.get("value") for each in container["env"]}
    assert given["HEALTH_PORT"] == str(ports["health"])
    for probe, path in (("startupProbe", "/started"), ("readinessProbe", "/ready"), ("livenessProbe", "/live")):
        assert container[probe]["httpGet"] == {"path": path, "port": "health"}
    start = container["startupProbe"]
    assert start["periodSeconds"] * start["failureThreshold"] >= 600, "as the start period of the images"


@every_service
@every_overlay
def test_service_is_spread_and_keeps_replicas_in_a_drain(overlay: str, service: str) -> None:
    selector = {"app.kubernetes.io/name": service}
    constraints = pod(overlay, service).spec["topologySpreadConstraints"]
    assert {each["topologyKey"] for each in constraints} == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
    assert all(each["labelSelector"]["matchLabels"] == selector for each in constraints)
    budget = of_kind(overlay, "PodDisruptionBudget")[service]["spec"]
    assert budget["selector"]["matchLabels"] == selector
    assert budget["maxUnavailable"] == 1


@every_service
def test_service_has_time_to_drain(service: str) -> None:
    grace_s = int(COMPOSE["services"][service]["stop_grace_period"].removesuffix("s"))
    assert pod("prod", service).spec["terminationGracePeriodSeconds"] == grace_s


@every_service
def test_user_image_and_limit_of_memory_are_those_of_compose(service: str) -> None:
    composed = COMPOSE["services"][service]
    deployed = pod("dev", service)
    assert deployed.container["image"] == composed["image"].replace("${MILLWRIGHT_VERSION:-latest}", "dev")
    assert deployed.spec["securityContext"]["runAsUser"] == 10001
    limit = deployed.container["resources"]["limits"]["memory"]
    assert size_of(limit) == size_of(composed["deploy"]["resources"]["limits"]["memory"])


@pytest.mark.parametrize(("service", "variable"), PARALLEL_JOBS.items())
def test_worker_works_on_as_much_as_it_has_cpus(service: str, variable: str) -> None:
    """By default it would take one piece of work for each core of its node."""
    container = pod("prod", service).container
    (jobs,) = (each["value"] for each in container["env"] if each["name"] == variable)
    assert container["resources"]["requests"]["cpu"] == jobs


def test_kernels_have_workspaces_of_a_fixed_size() -> None:
    (volume,) = (each for each in pod("prod", "cad-worker").spec["volumes"] if each["name"] == "workspaces")
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "3Gi"}


def test_servers_have_the_versions_of_compose() -> None:
    images = {name: COMPOSE["services"][name]["image"] for name in ("postgres", "minio")}
    images["nats"] = COMPOSE["services"]["nats"]["build"]["args"]["NATS_IMAGE"]
    for name, image in images.items():
        assert pod("dev", name).container["image"] == re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", image)
    tag = re.search(r"nats:([\w.-]+)", images["nats"])
    assert tag is not None
    assert f"tag: {tag.group(1).rstrip('}')}" in (K8S / "servers/nats-values.yaml").read_text("utf-8")
    assert pod("dev", "minio").container["image"].partition(":")[2] in (K8S / "servers/minio-values.yaml").read_text(
        "utf-8"
    )
    assert ":17.11-" in of_kind("prod", "Cluster")["postgres"]["spec"]["imageName"]


@every_overlay
def test_namespace_enforces_the_restricted_standard(overlay: str) -> None:
    assert (
        of_kind(overlay, "Namespace")["millwright"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        == "restricted"
    )
    assert {each["metadata"].get("namespace", "millwright") for each in build(overlay)} == {"millwright"}


def test_values_of_charts_replace_public_passwords_and_log_in() -> None:
    """MinIO's chart creates an admin by default; the box of NATS has no login of its own."""
    minio, nats = (yaml.safe_load((K8S / f"servers/{name}-values.yaml").read_text()) for name in ("minio", "nats"))
    assert minio["users"] == []
    login, context = nats["natsBox"]["container"]["env"], nats["natsBox"]["contexts"]["default"]
    assert login["NATS_USER"] == "admin"
    assert login["NATS_PASSWORD"]["valueFrom"]["secretKeyRef"]["key"] in secrets()["millwright-passwords"]
    assert context["tls"]["secretName"] == of_kind("prod", "Certificate")["client"]["spec"]["secretName"]
