"""Chains of Slurm jobs, with a `sbatch` that records what is submitted. Needs no cluster."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT

SLURM = ROOT / "deploy/slurm"
FAKE = """#!/bin/sh
n=$(ls {calls} | wc -l)
python3 - "$0" "$@" >{calls}/$n.json <<'CODE'
import json, os, sys
print(json.dumps({{"program": os.path.basename(sys.argv[1]), "arguments": sys.argv[2:],
                   "failures": os.environ.get("FAST_FAILURES"), "options": os.environ.get("JOB_OPTIONS")}}))
CODE
echo $((100 + n))
"""


@dataclass(frozen=True)
class Call:
    """One call of sbatch or scancel."""

    program: str
    arguments: list[str]
    failures: str | None
    options: str | None

    def option(self, name: str) -> str:
        """Return the value of an option."""
        return next(each.partition("=")[2] for each in self.arguments if each.startswith(f"--{name}="))


class Cluster:
    """Fake programs of Slurm."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls_folder = folder / "calls"
        self.calls_folder.mkdir()
        for name in ("sbatch", "scancel"):
            (folder / name).write_text(FAKE.format(calls=self.calls_folder))
            (folder / name).chmod(0o755)
        self.environment = {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "JOB_FILE": str(SLURM / "job"),
            "LOG_FILE": str(folder / "%j.log"),
            "SLURM_JOB_NAME": "millwright-sim-worker",
            "SLURM_JOB_ID": "99",
        }

    @property
    def calls(self) -> list[Call]:
        """All calls so far."""
        files = sorted(self.calls_folder.iterdir(), key=lambda file: int(file.stem))
        return [Call(**json.loads(file.read_text())) for file in files]

    def start(self, *program: str, **environment: str) -> "subprocess.Popen[str]":
        """Run a job as Slurm would."""
        command = ("bash", str(SLURM / "job"), *program)
        return subprocess.Popen(command, env=self.environment | environment, stdout=subprocess.PIPE, text=True)

    def run(self, *program: str, **environment: str) -> tuple[int, str]:
        """Run a job to its end."""
        process = self.start(*program, **environment)
        printed, _ = process.communicate(timeout=60)
        return process.returncode, printed


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_job_submits_its_successor_20_minutes_before_its_end(cluster: Cluster) -> None:
    process = cluster.start("sleep", "60")
    assert process.stdout is not None
    assert "its successor is job 100" in process.stdout.readline()
    (successor,) = cluster.calls
    assert successor.option("begin") == "now+220minutes"
    assert successor.option("time") == "240"
    assert successor.option("job-name") == "millwright-sim-worker"
    assert successor.arguments[-3:] == [str(SLURM / "job"), "sleep", "60"]
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "as it was asked to" in printed
    assert len(cluster.calls) == 1, "the successor goes on"


def test_successor_has_the_options_of_the_first_job(cluster: Cluster) -> None:
    cluster.run("false", JOB_OPTIONS="--mem=3G --comment=two\\ words ")
    assert {"--mem=3G", "--comment=two words"} <= set(cluster.calls[0].arguments)


def test_program_drains_before_its_job_ends(cluster: Cluster) -> None:
    script = 'trap "sleep 1; echo drained; exit 0" TERM; echo ready; while :; do sleep 0.1; done'
    process = cluster.start("bash", "-c", script)
    assert process.stdout is not None
    while process.stdout.readline() != "ready\n":
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=60)
    assert (process.returncode, "drained\n" in printed) == (0, True)


def test_program_that_fails_fast_begins_again_and_is_counted(cluster: Cluster) -> None:
    code, printed = cluster.run("false")
    successor, cancelled, again = cluster.calls
    assert (code, "failed fast (1)" in printed) == (1, True)
    assert (cancelled.program, cancelled.arguments) == ("scancel", ["100"])
    assert again.option("begin") == "now+1minute"
    assert (successor.failures, again.failures) == ("0", "1")


def test_third_fast_failure_in_a_row_stops_the_chain(cluster: Cluster) -> None:
    code, printed = cluster.run("false", FAST_FAILURES="2")
    assert [call.program for call in cluster.calls] == ["sbatch", "scancel"]
    assert (code, "the chain stops" in printed) == (1, True)


def test_program_that_worked_for_long_begins_again_without_a_count(cluster: Cluster) -> None:
    _, printed = cluster.run("false", FAST_FAILURES="2", FAST_S="0")
    again = cluster.calls[-1]
    assert "another one begins" in printed
    assert (again.option("begin"), again.failures) == ("now", "0")


def test_join_submits_so_many_workers_with_the_options_of_sbatch(cluster: Cluster) -> None:
    servers = {"NATS_URL": "tls://sim-worker:p01@hub:4222", "S3_ENDPOINT": "hub:9000"}
    command = (str(SLURM / "join"), "sim-worker", "--count", "3", "--", "--mem=3G", "--cpus-per-task=2")
    subprocess.run(command, env=cluster.environment | servers, check=True, capture_output=True)
    assert len(cluster.calls) == 3
    assert {"--mem=3G", "--cpus-per-task=2"} <= set(cluster.calls[0].arguments)
    assert cluster.calls[0].arguments[-4:] == [str(SLURM / "job"), ".venv/bin/python", "-m", "sim_worker"]
    assert cluster.calls[0].option("time") == "240"


def test_join_of_a_model_server_passes_its_arguments_on(cluster: Cluster) -> None:
    command = (str(SLURM / "join"), "vllm", "--", "--gres=gpu:1", "--", "serve", "MODEL", "--port", "8000")
    subprocess.run(command, env=cluster.environment, check=True, capture_output=True)
    (call,) = cluster.calls
    assert "--gres=gpu:1" in call.arguments
    assert call.arguments[-5:] == ["vllm", "serve", "MODEL", "--port", "8000"]
    assert call.options == "--gres=gpu:1 "


def test_join_without_a_broker_names_the_variable(cluster: Cluster) -> None:
    ran = subprocess.run(
        (str(SLURM / "join"), "cad-worker"), env=cluster.environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0
    assert "NATS_URL" in ran.stderr
    assert cluster.calls == []


def test_leave_cancels_successors_before_it_stops_jobs(cluster: Cluster) -> None:
    subprocess.run((str(SLURM / "leave"), "sim-worker"), env=cluster.environment, check=True, capture_output=True)
    waiting, running = cluster.calls
    assert "--state=PENDING" in waiting.arguments
    assert {"--state=RUNNING", "--signal=TERM", "--batch"} <= set(running.arguments)
    assert waiting.option("name") == running.option("name") == "millwright-sim-worker"
