"""In production, Prometheus finds every service, alerts have a way out, and the pages have an address."""

import pytest
import yaml

from tests.architecture.repository import ROOT
from tests.manifests.manifests import OURS, environment, of_kind, pod, secrets
from tests.manifests.test_networks import may
from tests.support.telemetry.queries import alert_rules
from tools.metrics_reference import RULE, prometheus_rule

OBSERVABILITY = ROOT / "deploy/observability"
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


@pytest.mark.parametrize("chosen", ["alerts", "alerts-webhook"])
def test_containers_alertmanager_sends_what_prometheus_finds(chosen: str) -> None:
    """Which of two files it reads depends on ALERT_WEBHOOK_URL."""
    services = yaml.safe_load((ROOT / "deploy/compose.observability.yaml").read_text("utf-8"))["services"]
    prometheus = yaml.safe_load((OBSERVABILITY / "prometheus/prometheus.yaml").read_text("utf-8"))
    (target,) = prometheus["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    assert target == "alertmanager:9093"
    (command,) = services["alertmanager"]["command"]
    command = command.replace("${ALERT_WEBHOOK_URL:+-webhook}", chosen.removeprefix("alerts"))
    assert f"--config.file=/etc/millwright/{chosen}.yaml" in command
    routes = yaml.safe_load((OBSERVABILITY / f"alertmanager/{chosen}.yaml").read_text("utf-8"))
    (receiver,) = routes["receivers"]
    assert routes["route"]["receiver"] == receiver["name"]
    assert ("webhook_configs" in receiver) == (chosen == "alerts-webhook")
