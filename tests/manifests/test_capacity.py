"""What an overlay asks for fits where it runs: processors and memory of one machine, connections of its database."""

from chassis.app import App
from local_stack.service_apps import build_detached_apps

from tests.manifests.manifests import Pod, of_kind, pods
from tests.manifests.test_policies import size_of

MACHINE = {"cpu": 2.0, "memory": 6 * 2**30}
SYSTEM = {"cpu": 0.95, "memory": 290 * 2**20}
"""What the pods of a cluster of kind request: API server, etcd, controllers, scheduler, names, network."""
OTHERS = 25
"""Connections of others: migration, backup, commands, the operator of the database, and those kept for the owner."""


def _requested(resource: str, each: Pod) -> float:
    amount = each.container["resources"]["requests"][resource]
    if resource == "memory":
        return float(size_of(amount))
    return float(amount.removesuffix("m")) / 1000 if amount.endswith("m") else float(amount)


def test_dev_fits_a_machine_of_two_cores_beside_the_cluster_itself() -> None:
    """The job and the nightly backup count, too: all pods at once."""
    for resource, available in MACHINE.items():
        assert sum(_requested(resource, each) for each in pods("dev")) + SYSTEM[resource] <= available, resource


def _connections(app: App) -> int:
    """Return the most connections that a replica opens."""
    most = (getattr(resource, "connections", 0) for resource in app._resources)  # pyright: ignore[reportPrivateUsage] - counted, not used
    return sum(each for each in most if isinstance(each, int))  # those of the HTTP server are others


def _most_replicas(name: str) -> int:
    """Return the most replicas of a service in production, with the one that is added when they are replaced."""
    scaled, deployment = of_kind("prod", "ScaledObject").get(name), of_kind("prod", "Deployment")[name]["spec"]
    most = deployment["replicas"] if scaled is None else scaled["spec"]["maxReplicaCount"]
    return most + deployment["strategy"]["rollingUpdate"]["maxSurge"]


def test_connections_of_all_replicas_fit_the_database() -> None:
    opened = {app.name: _connections(app) * _most_replicas(app.name) for app in build_detached_apps()}
    assert {name for name, count in opened.items() if count == 0} == {"cad-worker", "sim-worker", "perception-worker"}
    allowed = of_kind("prod", "Cluster")["postgres"]["spec"]["postgresql"]["parameters"]["max_connections"]
    assert sum(opened.values()) + OTHERS <= int(allowed), opened
