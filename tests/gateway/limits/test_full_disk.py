"""The disk of the servers is almost full: the gateway's health and its pages name it."""

from pathlib import Path

import pytest
from gateway.settings import Settings

from tests.gateway.gateway_client import running


@pytest.mark.parametrize(("reserve_mb", "is_named"), [(1 << 40, True), (0, False)])
async def test_health_and_pages_name_a_disk_without_space(
    settings: Settings, tmp_path: Path, reserve_mb: int, is_named: bool
) -> None:
    watched = settings.model_copy(update={"disk_folders": (tmp_path,), "disk_reserve_mb": reserve_mb})
    async with running(watched) as gateway:
        health = await gateway.client.get("/health")
        page = await gateway.client.get("/pages/runs")
    assert page.status_code == 200
    for answer in (health, page):
        assert (f"MB are free on the disk of {tmp_path}" in answer.text) is is_named, answer.text
