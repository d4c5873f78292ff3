"""Draws the pictures of README and docs again: `python -m tests.web.pictures [--review FOLDER] [--only WORD]`.

They show the recorded runs of `tests/web/pages`: pages and report in Chromium, and the clip and the poster of a film.
With `--review` it draws every page instead, whole, at two widths and in both themes, into a folder.
"""

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from contracts.events.run import RunSucceeded
from contracts.models.scene import Scene
from PIL import Image
from playwright.async_api import Browser, Page, async_playwright
from run_report.document import report_html
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.simulator import SimulationSettings, Simulator

from perf.web.__main__ import append, gateway
from tests.support.clusters.cluster import Client, start_cluster
from tests.support.clusters.example_run import FILE, ExampleRun, new_example_run, renamed_run
from tests.support.event_logs.recorded_run import read_file
from tests.web.conftest import SOFTWARE_GRAPHICS, chromium_path
from tests.web.pages.world import wait_for_view

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
Scheme = Literal["light", "dark"]
WIDE, NARROW, HEIGHT = 1280, 400, 800
ENDS = ("question", "failed", "generation")
"""Recorded runs that are shown beside the solved one."""
SELECT = """() => {
    const row = document.querySelector('a.row[data-type=DesignSimulated]');
    row.scrollIntoView({block: 'center'});
    row.click();
    scrollTo(0, 0);
}"""
MIDDLE = "() => { const viewer = document.querySelector('.replay').viewer; viewer.seek(viewer.replay.endS * 0.55); }"


class Shot(NamedTuple):
    """A picture of a page."""

    name: str
    path: str
    width: int = WIDE
    scheme: Scheme = "light"
    has_view: bool = False
    is_whole: bool = False
    """Below the first screen, too."""


def main() -> None:
    """Draw."""
    parser = argparse.ArgumentParser(description="Draws the pictures of README and docs again.")
    parser.add_argument(
        "--review", type=Path, help="draw every page at two widths and in both themes, into this folder"
    )
    parser.add_argument("--only", metavar="WORD", default="", help="draw only pages with this in their name")
    arguments = parser.parse_args()
    review: Path | None = arguments.review
    (review or PICTURES).mkdir(parents=True, exist_ok=True)
    if review is None and not arguments.only:
        _draw_media()
    asyncio.run(_draw_pages(review or PICTURES, arguments.only, is_review=review is not None))


def _draw_media() -> None:
    """Simulate the delivered design of the recorded run, and film it."""
    scene = asyncio.run(_delivered_scene())
    simulated = Simulator(1).simulate(scene, SimulationSettings(replicas=1, seed=0))
    media = MediaRenderer(VideoFormat()).render_simulation(simulated)
    (PICTURES / "detour-clip.webp").write_bytes(media.film.clip_webp)
    _save(media.stills.poster_png, PICTURES / "detour-poster.webp")


async def _delivered_scene() -> Scene:
    recorded = await read_file(FILE)
    end = next(event for event in recorded.events if isinstance(event, RunSucceeded))
    assert end.delivery.scene is not None
    return Scene.model_validate_json(await recorded.artifacts.get(end.delivery.scene))


async def _draw_pages(folder: Path, only: str, *, is_review: bool) -> None:
    with TemporaryDirectory() as temporary:
        async with start_cluster(Path(temporary)) as cluster, Client(cluster.endpoints) as client:
            run = await new_example_run(client.artifacts)
            other, waiting = renamed_run(run.events), renamed_run(run.events[:14])
            ends = {name: await new_example_run(client.artifacts, name) for name in ENDS}
            for number, each in enumerate((*ends.values(), run, other, waiting)):
                await append(client.log, each.events, 1 + 1000 * number)
            report = Path(temporary, "report.html")
            text = await report_html(run.events, client.artifacts)
            await asyncio.to_thread(report.write_text, text, "utf-8")
            async with gateway(cluster, Path(temporary)) as url, async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=chromium_path(), args=list(SOFTWARE_GRAPHICS)
                )
                shots = _every_page(url, run, other) if is_review else _shown_pages(url, run, other)
                shots = (*shots, *_ends(url, ends, is_review=is_review), *_reports(report, is_review=is_review))
                for shot in (each for each in shots if only in each.name):
                    await _draw(browser, shot, folder / f"{shot.name}.webp")
                await browser.close()


def _shown_pages(url: str, run: ExampleRun, other: ExampleRun) -> Iterator[Shot]:
    yield Shot("page-runs", f"{url}/pages/runs")
    yield Shot("page-run", f"{url}{run.path}", has_view=True)
    yield Shot("page-run-dark", f"{url}{run.path}", scheme="dark", has_view=True)
    yield Shot("page-run-narrow", f"{url}{run.path}", width=NARROW, has_view=True)
    yield Shot("page-compare", f"{url}/pages/compare?run={run.run_id}&run={other.run_id}", has_view=True)
    yield Shot("page-benchmark", f"{url}/pages/benchmarks/detour?seed=3")


def _ends(url: str, ends: Mapping[str, ExampleRun], *, is_review: bool) -> Iterator[Shot]:
    for name, end in ends.items():
        path, has_view = f"{url}{end.path}", name != "question"
        if is_review:
            yield from _looks(name, path, has_view=has_view)
            continue
        yield Shot(f"page-{name}", path, has_view=has_view)
        yield Shot(f"page-{name}-narrow", path, width=NARROW, has_view=has_view)


def _every_page(url: str, run: ExampleRun, other: ExampleRun) -> Iterator[Shot]:
    pages = (
        "runs",
        "new-run",
        "own-benchmark",
        "ask",
        "quote",
        "benchmarks",
        "benchmarks/detour?seed=3",
        "skills",
        "evaluations",
        "system",
        "sign-in",
    )
    places = [(each.partition("?")[0].replace("/", "-"), f"{url}/pages/{each}", False) for each in pages]
    places += [("act", f"{url}{run.path}/act", False), ("run", f"{url}{run.path}", True)]
    places += [("compare", f"{url}/pages/compare?run={run.run_id}&run={other.run_id}", True)]
    for name, path, has_view in places:
        yield from _looks(name, path, has_view=has_view)


def _looks(name: str, path: str, *, has_view: bool) -> Iterator[Shot]:
    schemes: Sequence[Scheme] = ("light", "dark")
    for width in (WIDE, NARROW):
        for scheme in schemes:
            yield Shot(f"{name}-{width}-{scheme}", path, width, scheme, has_view, is_whole=True)


def _reports(report: Path, *, is_review: bool) -> Iterator[Shot]:
    if is_review:
        yield from _looks("report", report.as_uri(), has_view=False)
    else:
        yield Shot("report", report.as_uri())


async def _draw(browser: Browser, shot: Shot, file: Path) -> None:
    context = await browser.new_context(
        viewport={"width": shot.width, "height": HEIGHT}, color_scheme=shot.scheme, reduced_motion="reduce"
    )
    page = await context.new_page()
    await page.goto(shot.path)
    await _settle(page, shot)
    _save(await page.screenshot(full_page=shot.is_whole), file)
    await context.close()


async def _settle(page: Page, shot: Shot) -> None:
    if shot.path.startswith("file:"):
        await page.wait_for_selector("body[data-ready=yes]")
    if not shot.has_view:
        await page.wait_for_load_state("networkidle")  # pictures in it
        return
    await wait_for_view(page)
    if await page.locator(".mv-finding").count():
        await page.locator(".mv-finding").nth(1).click()
    elif await page.locator("a.row[data-type=DesignSimulated]").count():
        await page.evaluate(SELECT)
        await page.wait_for_selector("#event .moments button")
        await wait_for_view(page)
        await page.evaluate(MIDDLE)
    await page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _save(png: bytes, file: Path) -> None:
    with Image.open(BytesIO(png)) as picture:
        picture.save(file, "WEBP", quality=82, method=6)


if __name__ == "__main__":
    main()
