"""From a cell that submits to the verdict of the judge."""

import io
import zipfile
from dataclasses import replace

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import judge_design
from cad_worker.host import KernelHost
from cad_worker.job_protocol import BUILD
from contracts.events.design import DesignInvalidated, DesignValidated
from contracts.events.run import EnvironmentBuilt
from contracts.models.scene import Scene
from contracts.models.submission import Refusal, Submission

from tests.cad_worker.handlers.run_client import RunClient, no_entries
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("opened")]

SUBMIT = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"


async def submitted(client: RunClient, script: str, cell: str = SUBMIT) -> Submission:
    """Write the script, run the submitting cell and return its submission."""
    await client.write_file("script.py", script)
    done = await client.run_cell(cell)
    assert isinstance(done.ending, Submission), done.observation
    return done.ending


async def forged(client: RunClient, script: str) -> Submission:
    """Return a submission of this script that no kernel has looked at."""
    submission = await submitted(client, GOOD_SCRIPT)
    files = io.BytesIO()
    with zipfile.ZipFile(files, "w") as archive:
        archive.writestr("script.py", script)
    return submission.model_copy(update={"files": await client.artifacts.put(files.getvalue(), "application/zip")})


async def test_valid_design_is_built_again_and_delivered(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    submission = await submitted(client, GOOD_SCRIPT)
    verdict = await judge_design(await client.submission_request(built, submission), host, artifacts, no_entries)
    assert isinstance(verdict, DesignValidated), verdict
    assert verdict.delivery.digest == submission.digest
    scene = Scene.model_validate_json(await artifacts.get(verdict.scene))
    assert {(body.origin, body.label) for body in scene.bodies} == {("environment", "floor"), ("design", "plate")}
    assert (await artifacts.get(verdict.delivery.step)).startswith(b"ISO-10303-21")
    assert (await artifacts.get(verdict.delivery.glb)).startswith(b"glTF")
    assert list(verdict.delivery.part_steps) == ["plate"]
    assert verdict.delivery.build is not None
    package = zipfile.ZipFile(io.BytesIO(await artifacts.get(verdict.delivery.build)))
    assert {"README.md", "printed/plate.3mf", "plates/plate-1-pla.3mf"} <= set(package.namelist())
    assert str(client.id) in package.read("README.md").decode()
    assert verdict.bill.lines[0].volume_mm3 == pytest.approx(24000)


async def test_build_package_that_fails_leaves_the_design_valid(
    client: RunClient,
    built: EnvironmentBuilt,
    host: KernelHost,
    artifacts: FakeArtifacts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = replace(BUILD, function="cad_worker.jobs.build:lost")
    monkeypatch.setattr("cad_worker.submissions.BUILD", lost)
    submission = await submitted(client, GOOD_SCRIPT)
    verdict = await judge_design(await client.submission_request(built, submission), host, artifacts, no_entries)
    assert isinstance(verdict, DesignValidated), verdict
    assert verdict.delivery.build is None
    assert "cad_worker.jobs.build:lost did not answer" in verdict.delivery.build_problem


async def test_submission_contains_the_agents_own_files(client: RunClient, artifacts: FakeArtifacts) -> None:
    await client.write_file("parts/plate.py", "WIDTH = 1\n")
    submission = await submitted(client, GOOD_SCRIPT)
    names = zipfile.ZipFile(io.BytesIO(await artifacts.get(submission.files))).namelist()
    assert names == ["journal.md", "parts/plate.py", "script.py", "todo.md"]


async def test_design_that_differs_from_its_script_is_invalid(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    cell = f"from script import assembly\nassembly.children[0].position += (5, 0, 0)\n{SUBMIT}"
    submission = await submitted(client, GOOD_SCRIPT, cell)
    verdict = await judge_design(await client.submission_request(built, submission), host, artifacts, no_entries)
    assert isinstance(verdict, DesignInvalidated)
    assert [finding.rule for finding in verdict.findings] == ["digest_differs"]


async def test_script_that_fails_in_a_fresh_kernel_is_invalid(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    request = await client.submission_request(built, await forged(client, "length = 1 / 0\n"))
    verdict = await judge_design(request, host, artifacts, no_entries)
    assert isinstance(verdict, DesignInvalidated)
    assert verdict.findings[0].rule == "script_failed"
    assert "ZeroDivisionError" in verdict.findings[0].detail
    assert "script.py" in verdict.findings[0].detail


async def test_design_that_breaks_a_rule_is_invalid(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    submission = await forged(client, GOOD_SCRIPT.replace("Pos(0, 0, 5)", "Pos(90, 0, 5)"))
    verdict = await judge_design(await client.submission_request(built, submission), host, artifacts, no_entries)
    assert isinstance(verdict, DesignInvalidated)
    assert "outside_build_zone" in {finding.rule for finding in verdict.findings}


async def test_script_that_moves_the_environment_is_invalid(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    script = GOOD_SCRIPT + "\nenvironment.children[0].position += (0, 0, -50)\n"
    submission = await forged(client, script)
    verdict = await judge_design(await client.submission_request(built, submission), host, artifacts, no_entries)
    assert isinstance(verdict, DesignInvalidated)
    assert "environment_changed" in {finding.rule for finding in verdict.findings}


PATCHES = """
import build123d
import random
modules = [random][0]._os.sys.modules
for kind in (build123d.Solid, build123d.Part, build123d.Compound):
    kind.volume = property(lambda self: 1e-3)
modules["parts_catalog.materials"].mass_kg = lambda *arguments: 0.0
modules["parts_catalog.materials"].MATERIALS["pla"].prices_usd_per_kg["3d_printing"] = 0.0
judging = modules["cad_worker.jobs.design"]
judging.judge = judging.quote = lambda request: None
modules["hashlib"].sha256 = modules["hashlib"].md5
"""


async def test_script_cannot_patch_volume_price_judge_or_hash(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    honest = await submitted(client, GOOD_SCRIPT)
    truth = await judge_design(await client.submission_request(built, honest), host, artifacts, no_entries)
    forged = await submitted(client, PATCHES + GOOD_SCRIPT)
    verdict = await judge_design(await client.submission_request(built, forged), host, artifacts, no_entries)
    assert isinstance(truth, DesignValidated)
    assert isinstance(verdict, DesignValidated)
    assert verdict.bill == truth.bill
    assert verdict.scene == truth.scene
    assert forged.digest == honest.digest


async def test_script_that_patches_the_export_is_judged_by_its_export(
    client: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    patch = (
        "\nimport random\nmodules = [random][0]._os.sys.modules\ncapture = modules['cad_worker.capture.design']\n"
        "write = capture.write_brep\n"
        "def smaller(shape, location):\n    return write(Pos(0, 0, 2.5) * Box(30, 20, 5), location)\n"
        "capture.write_brep = smaller\n"
    )
    verdict = await judge_design(
        await client.submission_request(built, await forged(client, GOOD_SCRIPT + patch)), host, artifacts, no_entries
    )
    assert isinstance(verdict, DesignInvalidated)
    assert "environment_changed" in {finding.rule for finding in verdict.findings}


async def test_refusal_contains_its_proof(client: RunClient) -> None:
    proof = "The goal lies 40 mm under the floor, as [cell 1] printed, and the floor cannot be opened."
    done = await client.run_cell(f"from utils import refuse_plan\nrefuse_plan({proof!r})\nnever = 1")
    assert done.ending == Refusal(proof=proof)
    assert done.observation.status == "ok"


async def test_refusal_without_evidence_is_an_error_of_the_cell(client: RunClient) -> None:
    code = (
        "from utils import refuse_plan\n"
        "try:\n    refuse_plan('the goal is under the floor')\n"
        "except ValueError as error:\n    print(error)\nwent_on = 1"
    )
    done = await client.run_cell(code)
    assert done.ending is None
    assert "line 1: the proof cites nothing that happened; cite evidence as `[cell 3]`" in done.observation.output
    assert "went_on" in {variable.name for variable in done.observation.variables}


async def test_cell_that_fails_after_submitting_submits_nothing(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    done = await client.run_cell(f"try:\n    {SUBMIT.replace(chr(10), chr(10) + '    ')}\nfinally:\n    1 / 0")
    assert done.ending is None
    assert done.observation.status == "error"
