"""Artifacts in the API: whole, ranges, and only those that an event names."""

import os
from collections.abc import Callable
from hashlib import sha256

import pytest
from artifacts.client import Artifacts
from chassis.stream.large_fields import artifacts_in
from contracts.models.artifact import ArtifactRef
from gateway.http.byte_ranges import ByteRange, UnsatisfiableRangeError, requested_range
from gateway.settings import Settings
from hypothesis import given
from hypothesis import strategies as st
from local_stack.servers.server_stack import ServerStack
from store.log import EventLog, LogEntry

from tests.artifacts.stored_bits import flip_bit
from tests.artifacts.support import opened
from tests.gateway.gateway_client import RunningGateway, problem_of, running
from tests.store.example_runs import new_request

Reserve = Callable[[int], int]


async def named(artifacts: Artifacts, log: EventLog, sequence: int, data: bytes, media_type: str) -> ArtifactRef:
    """Store data, and an event that names it."""
    ref = await artifacts.put(data, media_type)
    await artifacts.wait_until_uploaded([ref])
    request = new_request()
    variant = request.assignment.variant.model_copy(update={"environment_code": ref})
    assignment = request.assignment.model_copy(update={"variant": variant})
    event = request.model_copy(update={"assignment": assignment})
    entry = LogEntry(
        event=event,
        body=event.model_dump_json().encode(),
        stream_sequence=sequence,
        artifacts=tuple(artifacts_in(event)),
    )
    await log.append([entry])
    return ref


@pytest.mark.sample(2)
@pytest.mark.parametrize("size", [0, 1, 5000, 9 << 20])
async def test_artifact_is_whole_and_immutable(
    gateway: RunningGateway, artifacts: Artifacts, log: EventLog, next_sequence: Reserve, size: int
) -> None:
    data = os.urandom(size)
    ref = await named(artifacts, log, next_sequence(1), data, "image/png")
    response = await gateway.client.get(f"/artifacts/{ref.sha256}")
    assert (response.status_code, response.content) == (200, data)
    assert response.headers["content-type"] == "image/png"
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert int(response.headers["content-length"]) == size
    known = await gateway.client.get(f"/artifacts/{ref.sha256}", headers={"If-None-Match": response.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


@pytest.mark.parametrize("size", [5000, 9 << 20])
async def test_range_is_sent_alone(
    gateway: RunningGateway, artifacts: Artifacts, log: EventLog, next_sequence: Reserve, size: int
) -> None:
    data = os.urandom(size)
    ref = await named(artifacts, log, next_sequence(1), data, "video/mp4")
    for header, part in (("0-0", data[:1]), ("100-2099", data[100:2100]), ("-7", data[-7:]), ("10-", data[10:])):
        response = await gateway.client.get(f"/artifacts/{ref.sha256}", headers={"Range": f"bytes={header}"})
        assert (response.status_code, response.content) == (206, part)
        first = data.index(part) if len(part) > 1 else 0
        assert response.headers["content-range"] == f"bytes {first}-{first + len(part) - 1}/{size}"
    beyond = await gateway.client.get(f"/artifacts/{ref.sha256}", headers={"Range": f"bytes={size}-"})
    problem_of(beyond, 416)
    assert beyond.headers["content-range"] == f"bytes */{size}"
    changed = {"Range": "bytes=0-0", "If-Range": '"another"'}
    assert (await gateway.client.get(f"/artifacts/{ref.sha256}", headers=changed)).status_code == 200


async def test_artifact_that_no_event_names_is_not_found(gateway: RunningGateway, artifacts: Artifacts) -> None:
    ref = await artifacts.put(os.urandom(100), "image/png")
    await artifacts.wait_until_uploaded([ref])
    assert "no event names" in problem_of(await gateway.client.get(f"/artifacts/{ref.sha256}"), 404)


async def test_artifact_that_the_store_lost_is_not_found(
    gateway: RunningGateway, artifacts: Artifacts, log: EventLog, next_sequence: Reserve
) -> None:
    event = new_request()
    ref = ArtifactRef(sha256=sha256(os.urandom(9)).hexdigest(), media_type="image/png", size_bytes=9)
    entry = LogEntry(
        event=event, body=event.model_dump_json().encode(), stream_sequence=next_sequence(1), artifacts=(ref,)
    )
    await log.append([entry])
    assert "the store does not have it" in problem_of(await gateway.client.get(f"/artifacts/{ref.sha256}"), 404)


@pytest.mark.sample(1)
@pytest.mark.parametrize("size", [5000, 9 << 20])
async def test_damaged_artifact_is_named_and_is_no_outage(
    settings: Settings, log: EventLog, next_sequence: Reserve, servers: ServerStack, size: int
) -> None:
    s3 = settings.model_copy(update={"s3_timeout_s": 3.0})
    data = os.urandom(size)
    async with running(s3) as gateway, opened(s3) as artifacts:
        ref = await named(artifacts, log, next_sequence(1), data, "image/png")
        flip_bit(servers.folder, data)
        response = await gateway.client.get(f"/artifacts/{ref.sha256}", timeout=60)
    assert f"{ref.sha256} " in problem_of(response, 502)


@pytest.mark.parametrize("media_type", ["text/html", "image/svg+xml", "text/x-python", "no type"])
async def test_what_could_be_a_page_is_saved_and_not_shown(
    gateway: RunningGateway, artifacts: Artifacts, log: EventLog, next_sequence: Reserve, media_type: str
) -> None:
    ref = await named(artifacts, log, next_sequence(1), os.urandom(20), media_type)
    response = await gateway.client.get(f"/artifacts/{ref.sha256}")
    assert response.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    "digest", ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "A" * 64, "0" * 63, "%00" * 64, "0" * 64 + "%2f.."]
)
async def test_other_text_than_a_digest_is_refused(gateway: RunningGateway, digest: str) -> None:
    response = await gateway.client.get(f"/artifacts/{digest}")
    assert response.status_code in {404, 422}
    problem_of(response, response.status_code)


@given(first=st.integers(0, 200), last=st.integers(0, 200), size=st.integers(0, 100))
def test_range_lies_within_the_bytes(first: int, last: int, size: int) -> None:
    for header in (f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last}"):
        try:
            found = requested_range(header, size)
        except UnsatisfiableRangeError:
            continue
        if found is not None:
            assert 0 <= found.first <= found.last < size
            assert found.length <= size


@pytest.mark.parametrize(
    "header", [None, "", "bytes=", "bytes=-", "bytes=5-2", "lines=1-2", "bytes=0-1,4-5", "bytes=a-b"]
)
def test_header_of_another_form_asks_for_all(header: str | None) -> None:
    assert requested_range(header, 100) is None


def test_end_of_a_range_is_cut_to_the_size() -> None:
    assert requested_range("bytes=90-1000", 100) == ByteRange(90, 99)
    assert requested_range("bytes=-1000", 100) == ByteRange(0, 99)
