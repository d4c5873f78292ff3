"""S3 dies, hangs and comes back; processes die; nothing that was put is lost."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.port import ArtifactMissingError, ArtifactsUnavailableError, reference
from artifacts.settings import S3Settings

from tests.artifacts.conftest import MortalS3
from tests.artifacts.test_conformance import noise

PUTS_AND_IS_KILLED = """
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


@asynccontextmanager
async def opened(settings: S3Settings) -> AsyncGenerator[Artifacts]:
    artifacts = Artifacts(settings)
    try:
        await artifacts.start()
        yield artifacts
    finally:
        await artifacts.stop()


def with_another_spool(settings: S3Settings) -> S3Settings:
    return settings.model_copy(update={"artifacts_spool": settings.artifacts_spool / "of-another"})


def spooled(settings: S3Settings) -> list[Path]:
    """Return the files that wait for this test's server."""
    return [path for path in settings.artifacts_spool.rglob("*") if path.is_file()]


async def eventually(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something has come true; the test's own timeout is the limit."""
    while not await true():  # noqa: ASYNC110 - most of it comes true elsewhere, where no event is set
        await asyncio.sleep(0.02)


async def test_a_server_killed_in_the_middle_costs_nobody_anything(
    mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    """Writer and reader share no spool; whatever the writer says is uploaded can be read, with the server dying."""
    async with opened(mortal_settings) as writer, opened(with_another_spool(mortal_settings)) as reader:

        async def carry(seed: int) -> bool:
            await asyncio.sleep(seed * 0.05)
            data = noise(seed, 6_000_000 if seed % 20 == 0 else 20_000)
            ref = await writer.put(data, "model/step")
            await writer.wait_until_uploaded([ref])
            return await reader.get(ref) == data

        carrying = asyncio.gather(*(carry(seed) for seed in range(50)))
        for _ in range(2):
            await asyncio.sleep(0.6)
            await mortal_s3.kill()
            await asyncio.sleep(0.4)
            await mortal_s3.revive()
        assert all(await carrying)
        assert (await writer.problem(), await reader.problem()) == (None, None)
    assert spooled(mortal_settings) == []


async def test_putting_goes_on_in_an_outage_and_what_is_put_can_be_got(
    mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    async with opened(mortal_settings) as artifacts:
        await mortal_s3.kill()
        refs = [await artifacts.put(noise(seed), "text/plain") for seed in range(10)]
        assert [await artifacts.get(ref) for ref in refs] == [noise(seed) for seed in range(10)]
        waiting = asyncio.create_task(artifacts.wait_until_uploaded(refs))

        async def is_told() -> bool:
            return await artifacts.problem() is not None

        await eventually(is_told)
        told = await artifacts.problem() or ""
        assert f"10 blobs wait in {mortal_settings.artifacts_spool}" in told
        assert f"bucket {mortal_settings.s3_bucket} at {mortal_settings.s3_endpoint} cannot be used" in told
        assert not waiting.done()
        await mortal_s3.revive()
        await waiting
        assert await artifacts.problem() is None
    async with opened(
        mortal_settings.model_copy(update={"artifacts_spool": mortal_settings.artifacts_spool / "other"})
    ) as other:
        assert [await other.get(ref) for ref in refs] == [noise(seed) for seed in range(10)]


async def test_a_server_that_accepts_and_never_answers_counts_as_away(
    mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    async with opened(mortal_settings) as artifacts:
        old = await artifacts.put(noise(1), "text/plain")
        await artifacts.wait_until_uploaded([old])
        mortal_s3.signal(signal.SIGSTOP)
        try:
            new = await artifacts.put(noise(2), "text/plain")
            reading = asyncio.create_task(artifacts.get(old))

            async def is_told() -> bool:
                return "Timeout" in (await artifacts.problem() or "")

            await eventually(is_told)
            assert not reading.done()
        finally:
            mortal_s3.signal(signal.SIGCONT)
        await artifacts.wait_until_uploaded([new])
        assert await reading == noise(1)


async def test_what_nobody_put_is_missing_at_once_when_the_server_is_back(
    mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    async with opened(mortal_settings) as artifacts:
        await mortal_s3.kill()
        getting = asyncio.create_task(artifacts.get(reference(noise(3), "text/plain")))
        waiting = asyncio.create_task(artifacts.wait_until_uploaded([reference(noise(4), "text/plain")]))
        await asyncio.sleep(0.5)
        assert not getting.done()
        assert not waiting.done()
        await mortal_s3.revive()
        with pytest.raises(ArtifactMissingError):
            await getting
        with pytest.raises(ArtifactMissingError):
            await waiting


async def test_a_killed_process_leaves_its_blobs_to_the_next_one(
    mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PUTS_AND_IS_KILLED, mortal_settings.model_dump_json(),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdin is not None
    assert await child.stdout.readline() == b"started\n"
    await mortal_s3.kill()
    child.stdin.write(b"\n")
    assert await child.stdout.readline() == b"put\n"
    child.kill()
    await child.wait()
    assert len(spooled(mortal_settings)) == 20
    await mortal_s3.revive()
    async with opened(mortal_settings) as artifacts:
        blobs = [b"blob %d " % number * 1000 for number in range(20)]
        await artifacts.wait_until_uploaded([reference(blob, "text/plain") for blob in blobs])
    assert spooled(mortal_settings) == []
    async with opened(
        mortal_settings.model_copy(update={"artifacts_spool": mortal_settings.artifacts_spool / "other"})
    ) as other:
        assert [await other.get(reference(blob, "text/plain")) for blob in blobs] == blobs


async def test_a_start_waits_for_the_server(mortal_s3: MortalS3, mortal_settings: S3Settings) -> None:
    await mortal_s3.kill()
    artifacts = Artifacts(mortal_settings)
    starting = asyncio.create_task(artifacts.start())
    await asyncio.sleep(0.5)
    assert not starting.done()
    await mortal_s3.revive()
    await starting
    await artifacts.stop()


async def test_a_start_does_not_wait_for_ever(mortal_s3: MortalS3, mortal_settings: S3Settings) -> None:
    await mortal_s3.kill()
    artifacts = Artifacts(mortal_settings.model_copy(update={"s3_connect_timeout_s": 0.5}))
    with pytest.raises(ArtifactsUnavailableError, match="check S3_ENDPOINT"):
        await artifacts.start()
    await artifacts.stop()


async def test_a_start_waits_for_nobody_who_does_not_let_us_in(mortal_settings: S3Settings) -> None:
    wrong = mortal_settings.model_copy(update={"s3_secret_key": "wrong", "s3_connect_timeout_s": 3600})
    artifacts = Artifacts(wrong)
    with pytest.raises(ArtifactsUnavailableError, match=r"SignatureDoesNotMatch|AccessDenied"):
        await artifacts.start()
    await artifacts.stop()


async def test_many_on_one_spool_disturb_each_other_nowhere(mortal_settings: S3Settings) -> None:
    """Each puts the same blobs at the same time, and removes what the others have."""
    many = [Artifacts(mortal_settings) for _ in range(4)]
    await asyncio.gather(*(each.start() for each in many))

    async def put_all(artifacts: Artifacts) -> None:
        for seed in range(60):
            ref = await artifacts.put(noise(seed), "text/plain")
            if seed % 7 == 0:
                await artifacts.wait_until_uploaded([ref])
            assert await artifacts.get(ref) == noise(seed)
        await artifacts.wait_until_uploaded([reference(noise(seed), "text/plain") for seed in range(60)])

    await asyncio.gather(*(put_all(each) for each in many))
    await asyncio.gather(*(each.stop() for each in many))
    assert spooled(mortal_settings) == []
