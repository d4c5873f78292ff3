"""In production, Prometheus finds every service, alerts have a way out, and the pages have an address."""

import yaml

from tests.manifests.manifests import OURS, environment, of_kind, pod, secrets
from tests.manifests.test_networks import may
from tests.support.telemetry.queries import alert_rules
from tools.metrics_reference import RULE, prometheus_rule

PROMETHEUS, OTHERS = {"collects-millwright": "true"}, {"kubernetes.io/metadata.name": "default"}
"""Labels of namespaces."""


def test_prometheus_scrapes_every_service() -> None:
    (service,) = (each for name, each in of_kind("prod", "Service").items() if name == "metrics")
    monitor = of_kind("prod", "ServiceMonitor")["millwright"]["spec"]
    assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert [each["port"] for each in monitor["endpoints"]] == [each["name"] for each in service["spec"]["ports"]]
    for name in OURS:
        found, given = pod("prod", name), environment("prod", pod("prod", name))
        assert service["spec"]["selector"].items() <= found.labels.items()
        ports = {each["name"]: each["containerPort"] for each in found.container["ports"]}
        assert (given["METRICS_HOST"], given["METRICS_PORT"]) == ("0.0.0.0", str(ports["metrics"]))
        assert may("prod", "Ingress", found.labels, {}, ports["metrics"], PROMETHEUS)
        assert not may(
            "prod", "Ingress", found.labels, {}, ports["metrics"], {"kubernetes.io/metadata.name": "default"}
        )


def test_rules_are_the_alerts_and_are_routed() -> None:
    """To update them: `python -m tools.metrics_reference`."""
    assert RULE.read_text("utf-8") == prometheus_rule()
    groups = yaml.safe_load(prometheus_rule())["spec"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert [rule["alert"] for rule in rules] == [rule["alert"] for rule in alert_rules()]
    assert {rule["labels"]["namespace"] for rule in rules} == {"millwright"}, "the operator's routes match by it"


def test_alerts_go_to_the_address_of_the_settings() -> None:
    spec = of_kind("prod", "AlertmanagerConfig")["millwright"]["spec"]
    (receiver,) = spec["receivers"]
    assert spec["route"]["receiver"] == receiver["name"]
    (webhook,) = receiver["webhookConfigs"]
    assert secrets()[webhook["urlSecret"]["name"]][webhook["urlSecret"]["key"]].startswith("https://")


def test_pages_have_an_address_with_tls() -> None:
    spec = of_kind("prod", "Ingress")["gateway"]["spec"]
    (rule,) = spec["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend["port"]["name"] in {
        each["name"] for each in of_kind("prod", "Service")[backend["name"]]["spec"]["ports"]
    }
    assert spec["tls"][0]["hosts"] == [rule["host"]] == ["millwright.example.com"]
    annotations = of_kind("prod", "Ingress")["gateway"]["metadata"]["annotations"]
    assert annotations == {"cert-manager.io/cluster-issuer": "letsencrypt"}
