# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportMissingTypeStubs=false
# mujoco and PyAV come without complete types
"""A complete run: one benchmark, all services, real servers."""

import io
import json
import struct
import zipfile
from pathlib import Path

import av
import mujoco
import numpy as np
import pytest
from cad_worker.host import KernelHost
from cad_worker.job_protocol import DIGEST
from cad_worker.session_protocol import SessionOrder
from contracts.envelope import SERVICES, Event, Service
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.events.design import DesignApproved, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.plan import PlanApproved
from contracts.events.run import EnvironmentBuilt, RunSucceeded
from contracts.events.session import CellCompleted
from contracts.events.simulation import FilmRequested
from contracts.publishers import may_publish, publishes_as
from design_rules.design_data import EnvironmentGeometry
from documents.journal import read_journal
from documents.journal_coverage import Coverage
from documents.todo import read_todo

from tests.flows.complete_runs import CompleteRun


def _end(run: CompleteRun) -> RunSucceeded:
    (end,) = run.of_class(RunSucceeded)
    return end


def test_run_succeeds_with_stable_design_within_limits(complete: CompleteRun) -> None:
    end, limits = _end(complete), complete.request.assignment.limits
    assert end.result.verdict == "solved"
    assert end.result.stability == "stable"
    assert len(end.result.replicas) == 32
    assert limits.max_unit_price_usd is not None
    assert limits.max_mass_kg is not None
    assert 0 < end.bill.unit_price_usd <= limits.max_unit_price_usd
    assert 0 < end.bill.mass_kg <= limits.max_mass_kg


def test_causes_of_all_events_lead_to_the_request(complete: CompleteRun) -> None:
    by_id = {event.id: event for event in complete.events}
    for event in complete.events:
        seen: set[object] = set()
        here: Event = event
        while here.causation_id is not None:
            assert here.id not in seen, f"{type(event).__name__} is in a cycle of causes"
            seen.add(here.id)
            assert here.causation_id in by_id, f"the cause of {type(here).__name__} is not in the log"
            here = by_id[here.causation_id]
        assert here.id == complete.request.id


def _may_publish(service: Service, event: Event) -> bool:
    return type(event) in may_publish(service) and publishes_as(service, type(event)) in {None, event.role}


def test_each_event_has_a_permitted_publisher(complete: CompleteRun) -> None:
    for event in complete.events:
        assert any(_may_publish(service, event) for service in SERVICES if service == event.producer), event


def test_event_ids_are_unique(complete: CompleteRun) -> None:
    ids = [event.id for event in complete.events]
    assert len(ids) == len(set(ids))


def test_postgres_has_the_same_events_in_order(complete: CompleteRun) -> None:
    recorded = [event.id for event in complete.recorded]
    assert recorded[: len(complete.events)] == [event.id for event in complete.events]
    assert all(mine == theirs for mine, theirs in zip(complete.events, complete.recorded, strict=False))


def test_model_calls_are_recorded_with_their_messages(complete: CompleteRun) -> None:
    calls = [event for event in complete.events if isinstance(event, ModelCalled)]
    assert {call.role for call in calls} >= {"planner", "critic", "engineer"}
    assert all(call.model == "offline" for call in calls)
    engineers = [call for call in calls if call.role == "engineer"]
    assert engineers[0].new_messages[0].author == "system"
    assert all(len(call.new_messages) >= 1 for call in engineers)


def test_design_digest_is_equal_from_submission_to_delivery(complete: CompleteRun) -> None:
    (submitted,) = complete.of_class(DesignSubmitted)
    (validated,) = complete.of_class(DesignValidated)
    (simulated,) = complete.of_class(DesignSimulated)
    assert isinstance(submitted, DesignSubmitted)
    assert isinstance(validated, DesignValidated)
    assert isinstance(simulated, DesignSimulated)
    assert submitted.submission.digest == validated.delivery.digest == _end(complete).delivery.digest
    assert simulated.delivery.media is None, "media are made after the verdict"


def test_plan_todo_and_journal_are_delivered_filled(complete: CompleteRun) -> None:
    documents = _end(complete).delivery.documents
    assert documents is not None
    refs = (documents.plan, documents.todo, documents.journal)
    texts = [complete.blobs[ref.sha256].decode() for ref in refs]
    (approved,) = complete.of_class(PlanApproved)
    assert isinstance(approved, PlanApproved)
    assert texts[0] == approved.plan_md
    assert (documents.items_done, documents.items_dropped) == (documents.items, 0)
    assert all(item.state == "done" for item in read_todo(texts[1]).items)
    entries = read_journal(texts[2]).entries
    noted = [event for event in complete.events if isinstance(event, JournalEntryAdded)]
    assert len(entries) == documents.entries == len(noted) >= 2
    for entry, event in zip(entries, noted, strict=True):
        assert entry.covers == Coverage.of(event)
    simulations = sum(event.simulations for event in complete.events if isinstance(event, CellCompleted))
    concluded = {number for entry in entries if entry.covers for number in entry.covers.simulations}
    assert concluded == set(range(1, simulations + 1))
    assert noted[-1].own_entries == (len(entries),), "the expert's own words close the journal"


@pytest.mark.asyncio(loop_scope="session")
async def test_delivered_script_reproduces_the_digest(complete: CompleteRun, kernel_host: KernelHost) -> None:
    delivery = _end(complete).delivery
    with zipfile.ZipFile(io.BytesIO(complete.blobs[delivery.script.sha256])) as archive:
        script = archive.read("script.py").decode()
    (built,) = complete.of_class(EnvironmentBuilt)
    assert isinstance(built, EnvironmentBuilt)
    world = built.environment
    geometry = EnvironmentGeometry(
        brep=complete.blobs[world.brep.sha256], solids=world.solids, digest=world.digest, mechanism=world.mechanism
    )
    order = SessionOrder(assignment=complete.request.assignment, environment=geometry)
    again = await kernel_host.run_script({"script.py": script}, order)
    assert again.design is not None, again.observation
    assert (await kernel_host.run_job(DIGEST, again.design)).digest == delivery.digest


def test_video_shows_motion(complete: CompleteRun) -> None:
    media = _end(complete).delivery.media
    assert media is not None
    with av.open(io.BytesIO(complete.blobs[media.video.sha256])) as film:
        frames = [np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.int16) for frame in film.decode(video=0)]
    assert len(frames) > 20
    assert all(frame.std() > 10 for frame in frames)
    assert max(np.abs(frame - frames[0]).max() for frame in frames) > 60


def test_glb_has_animation_channels(complete: CompleteRun) -> None:
    media = _end(complete).delivery.media
    assert media is not None
    blob = complete.blobs[media.glb.sha256]
    magic, _version, length = struct.unpack_from("<4sII", blob)
    assert magic == b"glTF"
    assert length == len(blob)
    (size,) = struct.unpack_from("<I", blob, 12)
    gltf = json.loads(blob[20 : 20 + size])
    assert {channel["target"]["path"] for channel in gltf["animations"][0]["channels"]} >= {"translation", "rotation"}


def test_mujoco_model_opens_in_plain_mujoco(complete: CompleteRun, tmp_path: Path) -> None:
    media = _end(complete).delivery.media
    assert media is not None
    with zipfile.ZipFile(io.BytesIO(complete.blobs[media.mjcf.sha256])) as bundle:
        bundle.extractall(tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    assert model.nbody > 10


def test_approved_design_is_filmed_with_key_frames(complete: CompleteRun) -> None:
    (filmed,) = [event for event in complete.of_class(FilmRequested) if event.role == "planner"]
    (approved,) = complete.of_class(DesignApproved)
    assert filmed.causation_id == approved.id
    media = _end(complete).delivery.media
    assert media is not None
    assert media.contact_sheet is not None
    assert 2 <= len(media.key_frames) <= 8
    assert media.views is not None
    assert complete.blobs[media.views.sha256].startswith(b"\x89PNG")
    assert complete.blobs[media.contact_sheet.sha256].startswith(b"\x89PNG")
    assert media.clip is not None
    assert complete.blobs[media.clip.sha256][8:12] == b"WEBP"
