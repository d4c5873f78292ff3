"""Who reaches whom, by evaluating the NetworkPolicies as a network does: what no policy allows is refused."""

from collections.abc import Mapping, Sequence

import pytest

from tests.deploy.test_images import COMPOSE
from tests.manifests.manifests import OURS, OVERLAYS, Manifest, of_kind, pods, reaches

PORTS = {"nats": 4222, "postgres": 5432, "minio": 9000}
SERVER_OF = {"nats": "nats", "postgres": "postgres", "s3": "minio"}
NAMESPACE = {"kubernetes.io/metadata.name": "millwright"}
every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)


def matches(selector: Mapping[str, Mapping[str, str]], labels: Mapping[str, str]) -> bool:
    return selector.get("matchLabels", {}).items() <= labels.items()


def allows_peer(peers: Sequence[Manifest], labels: Mapping[str, str], namespace: Mapping[str, str]) -> bool:
    def is_meant(peer: Manifest) -> bool:
        in_namespace = (
            matches(peer["namespaceSelector"], namespace) if "namespaceSelector" in peer else namespace == NAMESPACE
        )
        return "ipBlock" not in peer and in_namespace and matches(peer.get("podSelector", {}), labels)

    return any(map(is_meant, peers))


def may(  # noqa: PLR0917 - who, whom, on which port
    overlay: str,
    direction: str,
    labels: Mapping[str, str],
    other: Mapping[str, str],
    port: int,
    namespace: Mapping[str, str] = NAMESPACE,
) -> bool:
    """Return whether a pod with `labels` may open (Egress) or accept (Ingress) a connection with `other`."""
    selecting = [
        each["spec"]
        for each in of_kind(overlay, "NetworkPolicy").values()
        if direction in each["spec"]["policyTypes"] and matches(each["spec"]["podSelector"], labels)
    ]
    key, side = ("egress", "to") if direction == "Egress" else ("ingress", "from")
    rules = [rule for spec in selecting for rule in spec.get(key, ())]
    return not selecting or any(
        allows_peer(rule[side], other, namespace) and port in {each["port"] for each in rule["ports"]} for rule in rules
    )


def connects(overlay: str, client: Mapping[str, str], server: Mapping[str, str], port: int) -> bool:
    return may(overlay, "Egress", client, server, port) and may(overlay, "Ingress", server, client, port)


@every_overlay
def test_pod_reaches_exactly_the_servers_that_its_labels_name(overlay: str) -> None:
    for each in pods(overlay):
        if each.is_ours:
            named = {SERVER_OF[name] for name in reaches(each) - {"outside"}}
            for server, port in PORTS.items():
                reached = connects(overlay, each.labels, {"app.kubernetes.io/name": server}, port)
                assert reached == (server in named), f"{each.name} and {server}"


@every_overlay
def test_our_pods_do_not_reach_each_other(overlay: str) -> None:
    ours = [each for each in pods(overlay) if each.is_ours]
    assert not any(
        connects(overlay, one.labels, other.labels, port) for one in ours for other in ours for port in (8420, 8421)
    )


@every_overlay
def test_servers_accept_no_stranger(overlay: str) -> None:
    for server, port in PORTS.items():
        assert not may(overlay, "Ingress", {"app.kubernetes.io/name": server}, {"app": "stranger"}, port)


@every_overlay
def test_way_out_is_that_of_compose_and_not_to_metadata(overlay: str) -> None:
    outside = of_kind(overlay, "NetworkPolicy")["reaches-outside"]["spec"]
    labelled = {each.name for each in pods(overlay) if matches(outside["podSelector"], each.labels)}
    assert labelled == {name for name, each in COMPOSE["services"].items() if "outside" in each["networks"]}
    (rule,) = outside["egress"]
    v4 = rule["to"][0]["ipBlock"]
    assert {"169.254.0.0/16", "10.0.0.0/8"} <= set(v4["except"])
    others = [each["spec"] for name, each in of_kind(overlay, "NetworkPolicy").items() if name != "reaches-outside"]
    assert not any("ipBlock" in peer for spec in others for rule in spec.get("egress", ()) for peer in rule["to"])


@every_overlay
def test_every_pod_of_ours_finds_names_and_nothing_else_of_the_cluster(overlay: str) -> None:
    system = {"kubernetes.io/metadata.name": "kube-system"}
    for each in pods(overlay):
        if each.is_ours:
            assert may(overlay, "Egress", each.labels, {"k8s-app": "kube-dns"}, 53, system)
            assert not may(overlay, "Egress", each.labels, {"component": "kube-apiserver"}, 443, system)


@every_overlay
def test_api_accepts_labelled_namespaces_only(overlay: str) -> None:
    gateway = {"app.kubernetes.io/name": "gateway", "app.kubernetes.io/part-of": "millwright"}
    assert may(overlay, "Ingress", gateway, {}, 8420, {"reaches-millwright-api": "true"})
    assert not may(overlay, "Ingress", gateway, {}, 8420, {"kubernetes.io/metadata.name": "default"})
    assert "gateway" in OURS


def test_keda_reads_the_monitoring_of_nats_alone() -> None:
    keda, nats = {"kubernetes.io/metadata.name": "keda"}, {"app.kubernetes.io/name": "nats"}
    assert may("prod", "Ingress", nats, {}, 8222, keda)
    assert not may("prod", "Ingress", nats, {}, 4222, keda)
