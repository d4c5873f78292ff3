"""Times of pages in headless Chromium: `./run perf web [--loads 5] [--events 100000]`, in Markdown.

A typical run, recorded from the offline expert, and a synthetic one with many events. The exit code is 1 beyond a goal.
"""

import argparse
import asyncio
import shutil
import socket
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from artifacts.client import Artifacts
from chassis.stream.large_fields import artifacts_in
from contracts.envelope import Event, deciding
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation
from playwright.async_api import Browser, Page, async_playwright
from store.log import EventLog, LogEntry

from tests.support.clusters.cluster import Client, Cluster, ModuleProcess, start_cluster
from tests.support.clusters.example_run import ExampleRun, new_example_run, renamed_run
from tests.support.measurements import setting, table

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BATCH = 2000
SCROLL_S = 5
TYPICAL_GOAL_S, LARGE_GOAL_S, FRAMES_GOAL = 1.5, 3.0, 30.0
IS_INTERACTIVE = "() => document.querySelector('#timeline a.row[tabindex=\"0\"]') !== null"
EMPTY = "data:text/html,<div id=timeline style='height:700px;overflow:auto'><div style='height:2000000px'></div></div>"
"""For comparison: what this browser reaches on this machine with nothing to show."""
SCROLL = """async seconds => {
    const timeline = document.getElementById('timeline');
    const box = timeline.getBoundingClientRect();
    let frames = 0, looks = 0, filled = 0;
    const start = performance.now();
    timeline.scrollTop = timeline.scrollHeight / 2;
    while (performance.now() - start < seconds * 1000) {
        await new Promise(requestAnimationFrame);
        timeline.scrollTop += 90;
        frames += 1;
        if (frames % 10) continue;
        looks += 1;
        filled += Boolean(document.elementFromPoint(box.x + 200, box.y + box.height / 2)?.closest('a.row'));
    }
    return [frames / ((performance.now() - start) / 1000), filled / looks];
}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Times of pages in headless Chromium.")
    parser.add_argument("--loads", type=int, default=5, help="how often each page is opened")
    parser.add_argument("--events", type=int, default=100_000, help="events of the synthetic run")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium in PATH: apt-get install chromium")
    sys.exit(asyncio.run(_measure(chromium, arguments.loads, arguments.events)))


async def _measure(chromium: str, loads: int, events: int) -> int:
    print(
        f"# Pages in headless Chromium, software graphics\n\n{setting(('fastapi', 'jinja2', 'playwright'))}\n",
        flush=True,
    )
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster, Client(cluster.endpoints) as client:
            typical = await _typical_run(client.log, client.artifacts)
            large = await _large_run(client.log, typical.events[0], events)
            async with gateway(cluster, Path(folder)) as url, async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
                return await _report(browser, url, typical, large, loads)


async def _report(browser: Browser, url: str, typical: ExampleRun, large: ExampleRun, loads: int) -> int:
    rows: list[tuple[str, str, str, str]] = []
    first = [await _opening_s(browser, f"{url}{typical.path}", has_view=True) for _ in range(loads)]
    second = [await _opening_s(browser, f"{url}{large.path}", has_view=False) for _ in range(loads)]
    interactive = median(each for each, _ in first)
    rows.append(("typical run, timeline interactive, s", f"{interactive:.2f}", _spread(first, 0), f"{TYPICAL_GOAL_S}"))
    rows.append(("typical run, 3D view drawn, s", f"{median(each for _, each in first):.2f}", _spread(first, 1), ""))
    opening = median(each for each, _ in second)
    name = f"{len(large.events):,} events, timeline interactive, s"
    rows.append((name, f"{opening:.2f}", _spread(second, 0), f"{LARGE_GOAL_S}"))
    frames, filled = await _scrolling(browser, f"{url}{large.path}")
    rows.append((f"scrolling them for {SCROLL_S} s, frames/s", f"{frames:.1f}", "", f">= {FRAMES_GOAL:g}"))
    rows.append(("frames whose middle row was there, %", f"{filled * 100:.0f}", "", ""))
    empty, _ = await _scrolling(browser, EMPTY, is_empty=True)
    rows.append(("scrolling an empty page, frames/s", f"{empty:.1f}", "", ""))
    print(table(("measure", "median", "least and most", "goal"), rows), flush=True)
    return int(interactive > TYPICAL_GOAL_S or opening > LARGE_GOAL_S or frames < FRAMES_GOAL)


def _spread(values: list[tuple[float, float]], place: int) -> str:
    ordered = sorted(each[place] for each in values)
    return f"{ordered[0]:.2f} to {ordered[-1]:.2f}"


async def _opening_s(browser: Browser, address: str, *, has_view: bool) -> tuple[float, float]:
    """Return after how long a page with an empty cache is interactive, and its 3D view drawn."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    begun_s = time.perf_counter()
    await page.goto(address, wait_until="commit")
    await _wait(page, IS_INTERACTIVE)
    interactive_s = time.perf_counter() - begun_s
    if has_view:
        await _wait(page, "() => document.querySelector('.replay[data-ready]') !== null")
    drawn_s = time.perf_counter() - begun_s
    await context.close()
    return interactive_s, drawn_s


async def _scrolling(browser: Browser, address: str, *, is_empty: bool = False) -> tuple[float, float]:
    """Return frames per second, and the share of frames with a row in the middle."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    await page.goto(address)
    if not is_empty:
        await _wait(page, IS_INTERACTIVE)
    frames, filled = await page.evaluate(SCROLL, SCROLL_S)
    await context.close()
    return frames, filled


async def _wait(page: Page, condition: str) -> None:
    await page.wait_for_function(condition, timeout=120_000)


async def _typical_run(log: EventLog, artifacts: Artifacts) -> ExampleRun:
    run = await new_example_run(artifacts)
    await append(log, run.events, 1)
    return run


async def _large_run(log: EventLog, opening: Event, count: int) -> ExampleRun:
    run = renamed_run([opening])
    request = run.events[0]
    assert isinstance(request, EngineeringRequested)
    events = [request, *_cells(request, count - 1)]
    await append(log, events, 1_000_000)
    return ExampleRun(run.run_id, events)


def _cells(request: EngineeringRequested, count: int) -> Iterator[Event]:
    for step in range(count):
        code = f"part_{step} = Box({step % 90 + 10}, 20, 5)\n" * 12
        if step % 2:
            seen = Observation(status="ok", output=f"volume {step} mm3\n" * 8, elapsed_s=0.1)
            yield CellCompleted(**deciding(request, "engineer", step), observation=seen)
        else:
            yield CellRequested(**deciding(request, "engineer", step), purpose=f"build part {step}", code=code)


async def append(log: EventLog, events: list[Event], first: int) -> None:
    """Store events as the recorder does, from a stream's sequence on."""
    for start in range(0, len(events), BATCH):
        entries = [
            LogEntry(
                event=event,
                body=event.model_dump_json().encode(),
                stream_sequence=first + start + number,
                artifacts=tuple(artifacts_in(event)),
            )
            for number, event in enumerate(events[start : start + BATCH])
        ]
        await log.append(entries)


@asynccontextmanager
async def gateway(cluster: Cluster, folder: Path) -> AsyncGenerator[str]:
    """Run a gateway as a process of its own; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    environment = cluster.environment({"GATEWAY_PORT": str(port), "GATEWAY_REQUESTS_PER_MINUTE": "1000000"})
    async with cluster.run([ModuleProcess("gateway", "gateway", environment, folder / "gateway.log")]):
        yield f"http://127.0.0.1:{port}"


if __name__ == "__main__":
    main()
