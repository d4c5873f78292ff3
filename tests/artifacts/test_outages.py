"""Outages of S3 and killed processes: no stored blob is lost."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable

import pytest
from artifacts.client import Artifacts
from artifacts.port import ArtifactMissingError, ArtifactsUnavailableError, reference
from artifacts.settings import S3Settings

from tests.artifacts.conftest import RestartableS3
from tests.artifacts.support import noise, opened, spooled

STORES_AND_IS_KILLED = """
import asyncio, sys
from artifacts.client import Artifacts
from artifacts.settings import S3Settings

async def main():
    settings = S3Settings.model_validate_json(sys.argv[1])
    artifacts = Artifacts(settings)
    await artifacts.start()
    print("started", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for number in range(20):
        await artifacts.put(b"blob %d " % number * 1000, "text/plain")
    print("put", flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def with_another_spool(settings: S3Settings) -> S3Settings:
    return settings.model_copy(update={"artifacts_spool": settings.artifacts_spool / "other-process"})


async def wait_until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for a condition; the timeout of the test is the limit."""
    while not await condition():  # noqa: ASYNC110 - other processes set no event
        await asyncio.sleep(0.02)


async def test_killed_server_loses_no_uploaded_blob(restartable_s3: RestartableS3, own_settings: S3Settings) -> None:
    """Writer and reader have separate spools; every blob that the writer has uploaded can be read."""
    async with opened(own_settings) as writer, opened(with_another_spool(own_settings)) as reader:

        async def transfer(seed: int) -> bool:
            await asyncio.sleep(seed * 0.05)
            data = noise(seed, 6_000_000 if seed % 20 == 0 else 20_000)
            ref = await writer.put(data, "model/step")
            await writer.wait_until_uploaded([ref])
            return await reader.get(ref) == data

        transfers = asyncio.gather(*(transfer(seed) for seed in range(50)))
        for _ in range(2):
            await asyncio.sleep(0.6)
            await restartable_s3.kill()
            await asyncio.sleep(0.4)
            await restartable_s3.restart()
        assert all(await transfers)
        assert (await writer.problem(), await reader.problem()) == (None, None)
    assert spooled(own_settings) == []


async def test_blobs_can_be_stored_and_read_in_an_outage(
    restartable_s3: RestartableS3, own_settings: S3Settings
) -> None:
    async with opened(own_settings) as artifacts:
        await restartable_s3.kill()
        refs = [await artifacts.put(noise(seed), "text/plain") for seed in range(10)]
        assert [await artifacts.get(ref) for ref in refs] == [noise(seed) for seed in range(10)]
        waiting = asyncio.create_task(artifacts.wait_until_uploaded(refs))

        async def is_reported() -> bool:
            return await artifacts.problem() is not None

        await wait_until(is_reported)
        problem = await artifacts.problem() or ""
        assert f"10 blobs wait in {own_settings.artifacts_spool}" in problem
        assert f"bucket {own_settings.s3_bucket} at {own_settings.s3_endpoint} cannot be used" in problem
        assert not waiting.done()
        await restartable_s3.restart()
        await waiting
        assert await artifacts.problem() is None
    async with opened(
        own_settings.model_copy(update={"artifacts_spool": own_settings.artifacts_spool / "other"})
    ) as other:
        assert [await other.get(ref) for ref in refs] == [noise(seed) for seed in range(10)]


async def test_hanging_server_is_an_outage(restartable_s3: RestartableS3, own_settings: S3Settings) -> None:
    async with opened(own_settings) as artifacts:
        old = await artifacts.put(noise(1), "text/plain")
        await artifacts.wait_until_uploaded([old])
        restartable_s3.signal(signal.SIGSTOP)
        try:
            new = await artifacts.put(noise(2), "text/plain")
            reading = asyncio.create_task(artifacts.get(old))

            async def is_reported() -> bool:
                return "Timeout" in (await artifacts.problem() or "")

            await wait_until(is_reported)
            assert not reading.done()
        finally:
            restartable_s3.signal(signal.SIGCONT)
        await artifacts.wait_until_uploaded([new])
        assert await reading == noise(1)


async def test_unknown_blob_is_missing_after_the_outage(
    restartable_s3: RestartableS3, own_settings: S3Settings
) -> None:
    async with opened(own_settings) as artifacts:
        await restartable_s3.kill()
        getting = asyncio.create_task(artifacts.get(reference(noise(3), "text/plain")))
        waiting = asyncio.create_task(artifacts.wait_until_uploaded([reference(noise(4), "text/plain")]))
        await asyncio.sleep(0.5)
        assert not getting.done()
        assert not waiting.done()
        await restartable_s3.restart()
        with pytest.raises(ArtifactMissingError):
            await getting
        with pytest.raises(ArtifactMissingError):
            await waiting


async def test_blobs_of_killed_process_are_uploaded_by_the_next(
    restartable_s3: RestartableS3, own_settings: S3Settings
) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STORES_AND_IS_KILLED, own_settings.model_dump_json(),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdin is not None
    assert await child.stdout.readline() == b"started\n"
    await restartable_s3.kill()
    child.stdin.write(b"\n")
    assert await child.stdout.readline() == b"put\n"
    child.kill()
    await child.wait()
    assert len(spooled(own_settings)) == 20
    await restartable_s3.restart()
    async with opened(own_settings) as artifacts:
        blobs = [b"blob %d " % number * 1000 for number in range(20)]
        await artifacts.wait_until_uploaded([reference(blob, "text/plain") for blob in blobs])
    assert spooled(own_settings) == []
    async with opened(
        own_settings.model_copy(update={"artifacts_spool": own_settings.artifacts_spool / "other"})
    ) as other:
        assert [await other.get(reference(blob, "text/plain")) for blob in blobs] == blobs


async def test_start_waits_for_the_server(restartable_s3: RestartableS3, own_settings: S3Settings) -> None:
    await restartable_s3.kill()
    artifacts = Artifacts(own_settings)
    starting = asyncio.create_task(artifacts.start())
    await asyncio.sleep(0.5)
    assert not starting.done()
    await restartable_s3.restart()
    await starting
    await artifacts.stop()


async def test_start_fails_after_its_timeout(restartable_s3: RestartableS3, own_settings: S3Settings) -> None:
    await restartable_s3.kill()
    artifacts = Artifacts(own_settings.model_copy(update={"s3_connect_timeout_s": 0.5}))
    with pytest.raises(ArtifactsUnavailableError, match="check S3_ENDPOINT"):
        await artifacts.start()
    await artifacts.stop()


async def test_start_fails_at_once_when_access_is_denied(own_settings: S3Settings) -> None:
    wrong = own_settings.model_copy(update={"s3_secret_key": "wrong", "s3_connect_timeout_s": 3600})
    artifacts = Artifacts(wrong)
    with pytest.raises(ArtifactsUnavailableError, match=r"SignatureDoesNotMatch|AccessDenied"):
        await artifacts.start()
    await artifacts.stop()


async def test_processes_can_share_a_spool(own_settings: S3Settings) -> None:
    """Each stores the same blobs at the same time, and removes files that the others use."""
    many = [Artifacts(own_settings) for _ in range(4)]
    await asyncio.gather(*(each.start() for each in many))

    async def store_all(artifacts: Artifacts) -> None:
        for seed in range(60):
            ref = await artifacts.put(noise(seed), "text/plain")
            if seed % 7 == 0:
                await artifacts.wait_until_uploaded([ref])
            assert await artifacts.get(ref) == noise(seed)
        await artifacts.wait_until_uploaded([reference(noise(seed), "text/plain") for seed in range(60)])

    await asyncio.gather(*(store_all(each) for each in many))
    await asyncio.gather(*(each.stop() for each in many))
    assert spooled(own_settings) == []
