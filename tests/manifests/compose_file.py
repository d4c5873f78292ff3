"""A Compose file that runs the pods of an overlay as their manifests describe them, for a machine without a cluster.

Image, command, variables, user, confinement, memory, folders, networks and probes come from the manifests. What an
engine has no word for is left out: spread, budgets, requests, and the order of scheduling.
"""

import re
from typing import Any

from tests.architecture.repository import ROOT
from tests.deploy.test_images import COMPOSE
from tests.manifests.manifests import Manifest, Pod, environment, of_kind, pods, reaches

NETWORKS = {"nats": "bus", "postgres": "db", "s3": "blobs", "outside": "outside"}
"""By label of a pod: its network. A network has no way out but `outside`."""
SERVERS = {"nats": "bus", "postgres": "db", "minio": "blobs"}
PROBE = "import urllib.request as r; r.urlopen('http://127.0.0.1:{port}{path}', timeout=10)"
JOBS = ("Job", "CronJob")


def compose_of(overlay: str, images: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the Compose file; `images` replaces images of others by those that this machine has."""
    started = [each for each in pods(overlay) if each.kind != "CronJob"]
    networks = {name: {"internal": name != "outside"} for name in NETWORKS.values()}
    return {"services": {each.name: _service(overlay, each, images or {}) for each in started}, "networks": networks}


def _service(overlay: str, each: Pod, images: dict[str, str]) -> dict[str, Any]:
    container, context = each.container, each.spec["securityContext"]
    image = re.sub(r":dev$", "", container["image"])
    service: dict[str, Any] = {
        "image": images.get(each.name, image),
        "environment": _variables(overlay, each),
        "user": f"{context['runAsUser']}:{context['runAsGroup']}",
        "read_only": container["securityContext"]["readOnlyRootFilesystem"],
        "cap_drop": container["securityContext"]["capabilities"]["drop"],
        "security_opt": ["no-new-privileges:true"],
        "init": bool(each.spec.get("shareProcessNamespace")),
        "stop_grace_period": f"{each.spec.get('terminationGracePeriodSeconds', 30)}s",
        "restart": "on-failure" if each.kind in JOBS else "unless-stopped",
        "deploy": {"resources": {"limits": {"memory": container["resources"]["limits"]["memory"].removesuffix("i")}}},
        "tmpfs": _folders(overlay, each),
        "volumes": _configuration(each),
        "networks": [SERVERS[each.name]] if each.name in SERVERS else sorted(NETWORKS[name] for name in reaches(each)),
    }
    service |= {"entrypoint": container["command"]} if "command" in container else {}
    service |= {"command": container["args"]} if "args" in container else {}
    service |= {"working_dir": container["workingDir"]} if "workingDir" in container else {}
    return service | _health(each)


def _variables(overlay: str, each: Pod) -> dict[str, str]:
    given = environment(overlay, each)
    if each.name == "migrate":  # what the tests' project sets
        given |= {"MILLWRIGHT_EXAMPLE_PASSWORDS": "yes", "MILLWRIGHT_S3_USERS": "${MILLWRIGHT_S3_USERS:-minio}"}
    return given


def _folders(overlay: str, each: Pod) -> list[str]:
    """Return what is writable: empty folders and, where a server has a volume, its folder for data."""
    empty = [volume for volume in each.spec.get("volumes", ()) if "emptyDir" in volume]
    sizes = {volume["name"]: volume["emptyDir"]["sizeLimit"] for volume in empty}
    if each.kind == "StatefulSet":
        (claim,) = of_kind(overlay, "StatefulSet")[each.name]["spec"]["volumeClaimTemplates"]
        sizes[claim["metadata"]["name"]] = claim["spec"]["resources"]["requests"]["storage"]
    owner = each.spec["securityContext"]["runAsUser"]
    return [
        f"{mount['mountPath']}:mode=0777,uid={owner},gid={owner},size={sizes[mount['name']].removesuffix('i').lower()}"
        for mount in each.container.get("volumeMounts", ())
        if mount["name"] in sizes
    ]


def _configuration(each: Pod) -> list[str]:
    """Return the folders of ConfigMaps: that of NATS is a folder of ours."""
    maps = {volume["name"] for volume in each.spec.get("volumes", ()) if "configMap" in volume}
    mounts = [mount for mount in each.container.get("volumeMounts", ()) if mount["name"] in maps]
    return [f"{ROOT}/deploy/nats:{mount['mountPath']}:ro" for mount in mounts]


def _health(each: Pod) -> dict[str, Any]:
    """Return the readiness probe; the images of servers have no client of HTTP, so theirs is that of Compose."""
    if each.name in SERVERS:
        return {"healthcheck": COMPOSE["services"][each.name]["healthcheck"]}
    probe: Manifest | None = each.container.get("readinessProbe")
    if probe is None:
        return {}
    (port,) = (port["containerPort"] for port in each.container["ports"] if port["name"] == probe["httpGet"]["port"])
    start = each.container["startupProbe"]
    return {
        "healthcheck": {
            "test": ["CMD", "python", "-c", PROBE.format(port=port, path=probe["httpGet"]["path"])],
            "interval": f"{probe['periodSeconds']}s",
            "timeout": f"{probe['timeoutSeconds']}s",
            "retries": 3,
            "start_period": f"{start['periodSeconds'] * start['failureThreshold']}s",
        }
    }
