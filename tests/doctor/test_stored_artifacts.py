"""`doctor --deep` finds the artifact that is damaged where it is stored."""

from uuid import uuid4

from artifacts.settings import S3Settings
from doctor import run_server_checks
from doctor.check import Check
from local_stack.server_access import settings_from
from local_stack.servers.server_stack import ServerStack

from tests.artifacts.stored_bits import flip_bit
from tests.artifacts.support import noise, opened
from tests.doctor.live_servers import LiveServers


async def deep_check(on: LiveServers, bucket: str) -> Check:
    checks = await run_server_checks(on.target(S3_BUCKET=bucket), deep=True)
    return next(each for each in checks if each.name == "stored artifacts")


async def test_damaged_artifact_is_named_by_the_deep_check(live_servers: LiveServers, servers: ServerStack) -> None:
    bucket = f"deep-{uuid4().hex}"
    settings = settings_from(S3Settings, {**live_servers.environment, "S3_BUCKET": bucket})
    async with opened(settings) as artifacts:
        refs = [await artifacts.put(noise(seed, 2000), "text/plain") for seed in (71, 72)]
        await artifacts.wait_until_uploaded(refs)
    check = await deep_check(live_servers, bucket)
    assert (check.ok, check.detail.split()[0]) == (True, "2")
    flip_bit(servers.folder, noise(72, 2000))
    check = await deep_check(live_servers, bucket)
    assert [each.what for each in check.failures] == [f"artifact {refs[1].sha256} is damaged"]
