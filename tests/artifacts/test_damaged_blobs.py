"""A blob that is damaged where it is stored: its readers learn which one, and making it again repairs it."""

import pytest
from artifacts import retry
from artifacts.port import ArtifactUnreadableError
from artifacts.settings import S3Settings

from tests.artifacts.conftest import RestartableS3
from tests.artifacts.stored_bits import flip_bit
from tests.artifacts.support import noise, opened, spooled


@pytest.fixture
def quick_settings(own_settings: S3Settings, monkeypatch: pytest.MonkeyPatch) -> S3Settings:
    """SeaweedFS retries a damaged blob for 13 s before it answers."""
    monkeypatch.setattr(retry, "PROOF_S", 1.0)
    return own_settings.model_copy(update={"s3_timeout_s": 3.0})


def other_process(settings: S3Settings) -> S3Settings:
    return settings.model_copy(update={"artifacts_spool": settings.artifacts_spool / "other"})


async def test_blob_with_a_flipped_bit_is_named_and_repaired_by_its_maker(
    restartable_s3: RestartableS3, quick_settings: S3Settings
) -> None:
    data = noise(11, 40_000)
    async with opened(quick_settings) as maker, opened(other_process(quick_settings)) as reader:
        ref = await maker.put(data, "model/step")
        await maker.wait_until_uploaded([ref])
        flip_bit(restartable_s3.folder, data)
        with pytest.raises(ArtifactUnreadableError, match=ref.sha256):
            await reader.get(ref)
        assert await reader.problem() is None
        other = await reader.put(b"something else", "text/plain")
        await reader.wait_until_uploaded([other])
        with pytest.raises(ArtifactUnreadableError, match=ref.sha256):
            await reader.get_part(ref.sha256, 0, 10)
        await maker.put(data, "model/step")
        await maker.wait_until_uploaded([ref])
        assert await reader.get(ref) == data


async def test_spool_of_the_maker_is_empty_after_the_repair(quick_settings: S3Settings) -> None:
    async with opened(quick_settings) as artifacts:
        for _ in range(2):
            ref = await artifacts.put(noise(12), "text/plain")
            await artifacts.wait_until_uploaded([ref])
    assert spooled(quick_settings) == []
