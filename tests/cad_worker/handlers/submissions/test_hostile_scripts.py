"""Hostile submissions and environments: each gets an answer that fits into an event."""

import io
import re
import zipfile
from importlib import import_module

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment, judge_design
from cad_worker.host import KernelHost
from contracts.events.design import DesignInvalidated
from contracts.events.run import EnvironmentBuilt, EnvironmentRefused
from contracts.models.submission import Submission
from sandbox import host as host_module

from tests.cad_worker.handlers.run_client import RunClient, no_entries
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVENT_BYTES = 1 << 20
SUBMIT = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"
FORGE = """
import random
modules = [random][0]._os.sys.modules
protocol, jobs = modules['cad_worker.session_protocol'], modules['cad_worker.job_protocol']
tools, report = modules['kernel.api.host_tools']._connected[0], modules['kernel.runtime.cell'].CellReport()

def submit(*parts):
    design = jobs.DesignData(parts=parts)
    tools._channel.send(protocol.CellDone(report=report, submitted=design, environment=design))
    while True:
        pass

def part(label, brep=b'', kind='Part'):
    return jobs.PartData(label=label, kind=kind, brep=brep)
"""

DESIGNS = {
    "labels of megabytes, twice": "submit(part('x' * (1 << 20)), part('x' * (1 << 20)))",
    "kinds of megabytes": "submit(*[part('a%d' % i, kind='\\n# Forged\\n' * 100_000) for i in range(9)])",
    "labels that move the cursor": "submit(part('\\x1b[2J\\u202e'))",
    "labels that leave the folder": "submit(part('../../etc/passwd'))",
    "thousands of empty parts": "submit(*[part('a%d' % i) for i in range(20_000)])",
    "no part": "submit()",
    "geometry of noise": "submit(part('a', bytes(range(256)) * 99))",
    "geometry cut off": (
        "from build123d import Box\nwhole = modules['geometry.occt.brep'].write_brep(Box(9, 9, 9))\n"
        "submit(part('a', whole[:-200]))"
    ),
    "geometry without a number": (
        "from build123d import Box\nwhole = modules['geometry.occt.brep'].write_brep(Box(9, 9, 9))\n"
        "corner, no_number = bytes(6) + b'\\x12\\xc0', b'\\xff' * 8\nassert corner in whole\n"
        "submit(part('a', whole.replace(corner, no_number)))"
    ),
    "geometry without an end": (
        "from build123d import Box\nwhole = modules['geometry.occt.brep'].write_brep(Box(9, 9, 9))\n"
        "corner, endless = bytes(6) + b'\\x12\\xc0', bytes(6) + b'\\xf0\\x7f'\nassert corner in whole\n"
        "submit(part('a', whole.replace(corner, endless)))"
    ),
    "a message too large": "[random][0]._os.write(3, b'\\xff' * 64)",
    "an exit": "[random][0]._os._exit(0)",
    "memory": "hoard = [bytearray(1 << 27) for _ in range(99)]",
    "a real-time signal": "[random][0]._os.kill([random][0]._os.getpid(), 40)",
    "a closed channel": "[random][0]._os.close(3)",
    "an environment of its own": "environment = None\nsubmit(part('a'))",
}


async def judged(client: RunClient, built: EnvironmentBuilt, host: KernelHost, script: str) -> DesignInvalidated:
    """Judge a script that no honest cell has submitted."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("script.py", script)
    files = await client.artifacts.put(packed.getvalue(), "application/zip")
    request = await client.submission_request(built, Submission(digest="0" * 64, files=files))
    verdict = await judge_design(request, host, client.artifacts, no_entries)
    assert isinstance(verdict, DesignInvalidated)
    assert verdict.findings
    return verdict


@pytest.mark.sample(5)
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS.keys())
async def test_hostile_script_gets_findings_that_fit_an_event(
    design: str, client: RunClient, built: EnvironmentBuilt, host: KernelHost
) -> None:
    verdict = await judged(client, built, host, FORGE + design)
    assert len(verdict.model_dump_json()) < EVENT_BYTES
    texts = "".join(finding.label + finding.detail for finding in verdict.findings)
    assert not {"\x00", "\x1b", "\u202e"} & set(texts)


@pytest.mark.usefixtures("opened")
async def test_script_cannot_be_replaced_by_a_folder_before_it_is_submitted(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    swap = "\nimport random\nos = [random][0]._os\nos.unlink('script.py')\nos.mkdir('script.py')\n"
    done = await client.run_cell(SUBMIT.replace("\nsubmit", swap + "submit"))
    assert done.ending is None
    assert done.observation.error is not None
    assert (done.observation.error.type, "script.py" in done.observation.error.message) == ("PermissionError", True)


@pytest.mark.usefixtures("opened")
async def test_files_with_unpresentable_names_are_not_submitted(client: RunClient, artifacts: FakeArtifacts) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    make = (
        "\nimport random\nos = [random][0]._os\nfor name in (b'\\xff', b'a\\n', b'\\x1b[2J', b'..\\\\up', b'fine'):\n"
        "    os.close(os.open(name, 66, 0o600))\n"
    )
    done = await client.run_cell(SUBMIT.replace("\nsubmit", make + "submit"))
    assert isinstance(done.ending, Submission), done.observation
    names = zipfile.ZipFile(io.BytesIO(await artifacts.get(done.ending.files))).namelist()
    assert names == ["fine", "journal.md", "script.py", "todo.md"]


BEFORE = "import sys\nfrom build123d import Box\n"
WORLDS = {
    "prints 200 MB": BEFORE + "for _ in range(200):\n    print('x' * (1 << 20))\n",
    "allocates": BEFORE + "hoard = [bytearray(1 << 27) for _ in range(99)]\n",
    "exits": BEFORE + "import os\nos._exit(0)\n",
    "raises what no handler catches": BEFORE + "raise KeyboardInterrupt\n",
    "raises megabytes": BEFORE + "raise ValueError('\\x00\\x1b' * (1 << 20))\n",
    "answers nonsense": BEFORE + 'import os, struct\nbody = b\'{"reply_json": "{7"}\'\n'
    "os.write(3, struct.pack('>I', len(body)) + body)\nos._exit(0)\n",
    "answers megabytes": BEFORE + "from sandbox.channels.channel import ChildChannel\n"
    "from sandbox.jobs import JobDone\n"
    "from cad_worker.job_protocol import EnvironmentScriptResult\n"
    "made = EnvironmentScriptResult(problem='\\x00' * (1 << 22)).model_dump_json()\n"
    "ChildChannel(3).send(JobDone(reply_json=made))\n",
    "labels what it should not": "from build123d import Box\ndef build(variant):\n    b = Box(1, 1, 1)\n"
    "    b.label = '../' * 100_000\n    return b\n",
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("code", WORLDS.values(), ids=WORLDS.keys())
async def test_hostile_environment_is_refused_with_a_short_detail(
    code: str, client: RunClient, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    answer = await build_environment(await client.environment_request(code), host, artifacts)
    assert isinstance(answer, EnvironmentRefused)
    assert len(answer.model_dump_json()) < 20_000
    assert "\x00" not in answer.detail


async def test_hanging_environment_is_refused(
    client: RunClient, host: KernelHost, artifacts: FakeArtifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_module, "JOB_S", 1.5)
    answer = await build_environment(await client.environment_request("while True:\n    pass\n"), host, artifacts)
    assert isinstance(answer, EnvironmentRefused)
    assert "1.5 s" in answer.detail


PATCH_CHECKS = """
import sys
modules = sys.modules
modules['cad_worker.jobs.environment'].check_environment = lambda fixtures, variant: None
modules['cad_worker.jobs.environment'].environment_digest = lambda labels, solids: '0' * 64
from build123d import Box, Pos

def build(variant):
    wall = Pos(0, 0, 150) * Box(50, 50, 50)
    wall.label = 'wall'
    return wall
"""


async def test_environment_cannot_patch_its_checks(
    client: RunClient, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    answer = await build_environment(await client.environment_request(PATCH_CHECKS), host, artifacts)
    assert isinstance(answer, EnvironmentRefused)
    assert answer.reason == "payload_in_wall"


async def test_attacked_names_exist() -> None:
    scripts = "".join([FORGE, PATCH_CHECKS, *DESIGNS.values()])
    attacked = re.findall(r"modules\['([\w.]+)'\](?:\.(\w+))?", scripts)
    assert {module for module, _ in attacked} >= {"kernel.api.host_tools", "cad_worker.jobs.environment"}
    for module, name in attacked:
        assert not name or hasattr(import_module(module), name), f"{module}.{name}"
