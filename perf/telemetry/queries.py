"""A real Prometheus scrapes runs and answers every query of the dashboards: `./run perf telemetry/queries`.

Starts the stack of one machine, with a port for each service's metrics and Debian's Prometheus on them, and requests
two runs by the API: a series that begins with the first run's events increases only by the second's. Exit code 1 if a
query is refused or returns nothing, or if an alert fires.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from local_stack.gateway_access import local_tokens
from local_stack.services import metrics_ports
from local_stack.settings import CliSettings
from local_stack.stack import StackOptions, open_stack

from tests.support.measurements import setting, table
from tests.support.telemetry.queries import ALERTS, Query, dashboard_queries

REQUEST = {"benchmark": "gravity-chute", "seed": 3, "model": "offline"}
RUNS = 2
FIRST_PORT = 9500
PROMETHEUS_PORT = 9490
SETTLE_S = 20.0
"""After the last run: its end is recorded, and each service measured itself and was scraped since."""
POLL_S = 0.5
TIMEOUT_S = 900.0


@dataclass(frozen=True)
class Answer:
    """What Prometheus returned for one query."""

    query: Query
    values: Sequence[float]

    @property
    def row(self) -> tuple[str, ...]:
        """Cells of the table."""
        numbers = [value for value in self.values if not isnan(value)]
        largest = f"{max(numbers):.4g}" if numbers else "no number" if self.values else "nothing"
        return (self.query.place, str(len(self.values)), str(sum(value != 0 for value in numbers)), largest)


async def measure(folder: Path) -> tuple[list[Answer], list[str]]:
    """Return the answers to all queries, and the alerts that fire."""
    os.environ |= {"GATEWAY_PORT": "0", "TELEMETRY_EVERY_S": "2", "SIM_VIDEO_WIDTH": "160", "SIM_VIDEO_HEIGHT": "120"}
    settings = CliSettings(millwright_data=folder / "data", millwright_metrics_port=FIRST_PORT)
    async with open_stack(StackOptions(settings, long_running=True)) as stack, prometheus(folder) as server:
        assert stack.api_url is not None
        token = json.loads(local_tokens(settings.millwright_data))[0]["token"]
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=stack.api_url, headers=headers, trust_env=False, timeout=60) as api:
            for number in range(RUNS):
                print(f"run {number + 1} ended: {await solve(api)}", file=sys.stderr)
        await asyncio.sleep(SETTLE_S)
        answers = [await ask(server, query) for query in dashboard_queries() if query.source == "prometheus"]
        alerts = (await server.get("/api/v1/alerts")).raise_for_status().json()["data"]["alerts"]
    return answers, [each["labels"]["alertname"] for each in alerts if each["state"] == "firing"]


async def solve(api: httpx.AsyncClient) -> str:
    """Request a run and return its outcome."""
    accepted = (await api.post("/runs", json=REQUEST)).raise_for_status().json()
    while (run := (await api.get(accepted["run"])).raise_for_status().json())["end"] is None:  # noqa: ASYNC110 - on a server
        await asyncio.sleep(POLL_S)
    return str(run["summary"]["outcome"])


async def ask(server: httpx.AsyncClient, query: Query) -> Answer:
    """Return the answer to one query; raise `httpx.HTTPStatusError` if Prometheus refuses it."""
    response = await server.get("/api/v1/query", params={"query": query.text})
    result = response.raise_for_status().json()["data"]["result"]
    return Answer(query, [float(series["value"][1]) for series in result])


@asynccontextmanager
async def prometheus(folder: Path) -> AsyncGenerator[httpx.AsyncClient]:
    """Run Prometheus with the alert rules, scraping every service once a second; yield a client of its API."""
    targets = [f"127.0.0.1:{port}" for port in metrics_ports(FIRST_PORT).values()]
    configuration = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [{"job_name": "millwright", "static_configs": [{"targets": targets}]}],
    }
    (folder / "prometheus.yaml").write_text(json.dumps(configuration), "utf-8")
    command = ("prometheus", f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/prometheus")
    with (folder / "prometheus.log").open("wb") as log:
        listen = f"--web.listen-address=127.0.0.1:{PROMETHEUS_PORT}"
        process = await asyncio.create_subprocess_exec(*command, listen, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{PROMETHEUS_PORT}"
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as server:
            await until_ready(server)
            yield server
    finally:
        process.terminate()
        await process.wait()


async def until_ready(server: httpx.AsyncClient) -> None:
    """Wait until Prometheus answers."""
    while True:
        try:
            if (await server.get("/-/ready")).is_success:
                return
        except httpx.ConnectError:
            pass
        await asyncio.sleep(POLL_S)


async def measure_all() -> tuple[list[Answer], list[str]]:
    """Measure in a folder that is removed afterwards."""
    with TemporaryDirectory(prefix="millwright-telemetry-") as name:
        async with asyncio.timeout(TIMEOUT_S):
            return await measure(Path(name))


def main() -> int:
    """Measure, and print the page of results."""
    program = shutil.which("prometheus")
    if program is None:
        sys.stderr.write("prometheus is not installed: apt-get install --no-install-recommends prometheus\n")
        return 2
    conditions = setting(("opentelemetry-sdk", "opentelemetry-exporter-prometheus"))
    version = subprocess.run((program, "--version"), capture_output=True, text=True, check=True).stdout
    answers, alerts = asyncio.run(measure_all())
    empty = [answer.query.place for answer in answers if not answer.values]
    print(f"# Queries of the dashboards, answered by Prometheus after {RUNS} runs\n\n{conditions}")
    print(f"- {' '.join(version.split()[:3])}\n\n`./run perf telemetry/queries`\n")
    print(f"{len(answers)} queries, {len(empty)} without data. Alerts that fire: {', '.join(alerts) or 'none'}.\n")
    print(table(("query", "series", "not zero", "largest"), [answer.row for answer in answers]))
    return 1 if empty or alerts else 0


if __name__ == "__main__":
    sys.exit(main())
