"""Downloads: the files of a run, each and as one zip, with names that tell the run."""

import io
import zipfile
from collections.abc import Callable
from uuid import UUID, uuid4

from artifacts.client import Artifacts
from chassis.app import App
from chassis.stream.large_fields import artifacts_in
from contracts.events.run import RunSucceeded
from store.log import EventLog

from tests.gateway.files.media import image
from tests.gateway.files.test_artifacts import named
from tests.gateway.gateway_client import RunningGateway, problem_of
from tests.store.example_runs import log_entries, new_request, run_failure
from tests.support.clusters.example_run import FILE, ExampleRun, new_example_run
from tests.support.event_logs.recorded_run import read_file

Reserve = Callable[[int], int]


async def recorded(log: EventLog, artifacts: Artifacts, next_sequence: Reserve) -> ExampleRun:
    run = await new_example_run(artifacts)
    await log.append(log_entries(*run.events, first_sequence=next_sequence(len(run.events))))
    return run


async def test_files_of_a_run_are_listed_and_each_is_saved_under_its_own_name(
    gateway: RunningGateway, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    run = await recorded(log, artifacts, next_sequence)
    listed = (await gateway.client.get(f"/runs/{run.run_id}/files")).raise_for_status().json()
    assert listed["name"] == f"detour-seed3-{str(run.run_id)[:8]}"
    paths = {each["path"]: each for each in listed["files"]}
    assert {"assembly.step", "assembly.glb", "bill_of_materials.csv", "report.html", "workspace.zip"} <= paths.keys()
    assert {"video.mp4", "mujoco.zip", "clip.webp"} & paths.keys()
    step = await gateway.client.get(f"/runs/{run.run_id}/files/assembly.step", follow_redirects=False)
    assert step.status_code == 307
    end = next(event for event in run.events if isinstance(event, RunSucceeded))
    assert step.headers["location"] == f"/artifacts/{end.delivery.step.sha256}?name={listed['name']}-assembly.step"
    bill = await gateway.client.get(f"/runs/{run.run_id}/files/bill_of_materials.csv")
    assert bill.headers["content-disposition"] == f'attachment; filename="{listed["name"]}-bill_of_materials.csv"'
    assert bill.text.startswith("item,method,material_or_catalog_id,count")


async def test_every_artifact_of_a_run_is_listed_with_the_address_that_returns_it(
    gateway: RunningGateway, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    run = await recorded(log, artifacts, next_sequence)
    listed = (await gateway.client.get(f"/runs/{run.run_id}/artifacts")).raise_for_status().json()["artifacts"]
    expected = {ref.sha256: ref for event in run.events for ref in artifacts_in(event)}
    assert [each["sha256"] for each in listed] == list(expected)
    fetched = [await gateway.client.get(each["path"]) for each in listed]
    stored = {sha256 for sha256, answer in zip(expected, fetched, strict=True) if answer.status_code == 200}
    assert stored == expected.keys() & (await read_file(FILE)).artifacts.blobs.keys()
    assert stored
    for each, answer in zip(listed, fetched, strict=True):
        if answer.status_code == 200:
            assert len(answer.content) == each["size_bytes"]
    problem_of(await gateway.client.get(f"/runs/{uuid4()}/artifacts"), 404)


async def test_every_artifact_of_a_question_is_listed(
    gateway: RunningGateway, log: EventLog, publisher: App, next_sequence: Reserve
) -> None:
    sent = [("images", ("a.png", image(9, 9))), ("images", ("b.png", image(8, 8)))]
    accepted = await gateway.client.post("/questions", files=sent, data={"text": "What?"})
    run_id = UUID(accepted.raise_for_status().json()["run_id"])
    await log.append(log_entries(*await publisher.bus.history(run_id), first_sequence=next_sequence(1)))
    listed = (await gateway.client.get(f"/runs/{run_id}/artifacts")).raise_for_status().json()["artifacts"]
    assert [each["event"] for each in listed] == ["QuestionAsked"] * 2
    for each in listed:
        assert (await gateway.client.get(each["path"])).headers["content-type"] == "image/png"


async def test_zip_has_every_file_that_is_stored(
    gateway: RunningGateway, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    request = new_request()
    await log.append(log_entries(request, run_failure(request), first_sequence=next_sequence(2)))
    response = (await gateway.client.get(f"/runs/{request.run_id}/files.zip")).raise_for_status()
    assert response.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        (report,) = archive.namelist()
    assert report.endswith(f"-{str(request.run_id)[:8]}/report.html")


async def test_zip_names_what_the_store_has_lost(
    gateway: RunningGateway, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    run = await recorded(log, artifacts, next_sequence)
    response = (await gateway.client.get(f"/runs/{run.run_id}/files.zip")).raise_for_status()
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        paths = {name.partition("/")[2] for name in archive.namelist()}
        lost = archive.read(next(name for name in archive.namelist() if name.endswith("/lost.txt"))).decode()
    assert {"report.html", "bill_of_materials.csv", "poster.png", "lost.txt"} <= paths
    assert "assembly.step: artifact " in lost


async def test_file_that_a_run_does_not_have_is_unknown(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    await log.append(log_entries(request, first_sequence=next_sequence(1)))
    assert "has no file" in problem_of(await gateway.client.get(f"/runs/{request.run_id}/files/assembly.step"), 404)
    problem_of(await gateway.client.get(f"/runs/{request.run_id}/files/..%2F..%2Fetc"), 422)
    problem_of(await gateway.client.get(f"/runs/{uuid4()}/files"), 404)


async def test_artifact_is_saved_under_the_name_that_the_address_gives(
    gateway: RunningGateway, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    ref = await named(artifacts, log, next_sequence(1), uuid4().bytes, "application/json")
    address = f"/artifacts/{ref.sha256}"
    saved = await gateway.client.get(address, params={"name": "detour-3f2a-scene.json"})
    assert 'filename="detour-3f2a-scene.json"' in saved.headers["content-disposition"]
    for name in ("../x", 'a"b', "a\r\nX: y", ".hidden"):
        problem_of(await gateway.client.get(address, params={"name": name}), 422)
