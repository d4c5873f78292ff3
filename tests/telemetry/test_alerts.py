"""The alert rules by Prometheus' own tool; skipped, with the reason, where it is not installed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.telemetry.promtool import promtool
from tests.support.telemetry.queries import ALERTS, alert_rules

TESTS = ALERTS.with_name("alerts.test.yaml")
CONFIGURATION = ALERTS.with_name("prometheus.yaml")


def test_promtool_accepts_rules_and_configuration() -> None:
    for arguments in (("check", "rules", str(ALERTS)), ("check", "config", str(CONFIGURATION))):
        checked = promtool(*arguments)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert f"{len(alert_rules())} rules found" in checked.stdout


def test_rules_pass_their_tests() -> None:
    tested = promtool("test", "rules", str(TESTS))
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_each_alert_is_expected_by_a_test() -> None:
    text = json.dumps(_tests())
    assert set(re.findall(r'alertname=\\"(\w+)\\"', text)) == {rule["alert"] for rule in alert_rules()}


@pytest.mark.sample(5)
@pytest.mark.parametrize("alert", [rule["alert"] for rule in alert_rules()])
def test_tests_notice_an_alert_that_never_fires(tmp_path: Path, alert: str) -> None:
    rules = yaml.safe_load(ALERTS.read_text("utf-8"))
    for rule in (rule for group in rules["groups"] for rule in group["rules"] if rule["alert"] == alert):
        rule["expr"] = f"({rule['expr']}) < -1"
    (tmp_path / ALERTS.name).write_text(yaml.safe_dump(rules), "utf-8")
    document = yaml.safe_load(TESTS.read_text("utf-8"))
    own = [test for test in document["tests"] if f'alertname="{alert}"' in json.dumps(test).replace('\\"', '"')]
    (tmp_path / TESTS.name).write_text(yaml.safe_dump({**document, "tests": own}), "utf-8")
    tested = promtool("test", "rules", str(tmp_path / TESTS.name))
    assert tested.returncode != 0
    assert alert in tested.stdout + tested.stderr


def _tests() -> list[dict[str, Any]]:
    return yaml.safe_load(TESTS.read_text("utf-8"))["tests"]
