"""A walk for each control of the pages: a visitor uses it, and what it is for happens.

Add one here for each new form and button. `test_controls.py` finds them in the templates and lets each walk be made
signed in, without tokens, by keyboard alone and on a narrow screen.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

from benchmarks.archive import files_of, pack
from benchmarks.loader import CODE_TYPE, SUITE
from playwright.async_api import FilePayload, expect

from tests.gateway.controls.visitor import Visitor
from tests.gateway.files.media import image
from tests.store.example_runs import new_request, run_failure, with_code
from tests.web.pages.world import PATIENCE_MS, wait_for_rows, wait_for_view

Steps = Callable[[Visitor], Awaitable[None]]


@dataclass(frozen=True)
class Walk:
    """Uses some controls."""

    name: str
    controls: tuple[str, ...]
    """By the names of `controls_of_templates`."""
    steps: Steps
    needs_session: bool


WALKS: list[Walk] = []


def walk(*controls: str, needs_session: bool = False) -> Callable[[Steps], Steps]:
    """Register the walk for these controls; `needs_session`: they are only there for who has signed in."""

    def register(steps: Steps) -> Steps:
        WALKS.append(Walk(steps.__name__, controls, steps, needs_session))
        return steps

    return register


@walk("sign_in.html: Sign in", needs_session=True)
async def sign_in(visitor: Visitor) -> None:
    page = visitor.page
    await page.context.clear_cookies()
    await visitor.open("/pages/benchmarks")
    await visitor.wait_for_path("/pages/sign-in")
    await visitor.fill(page.get_by_label("Token"), visitor.token)
    await visitor.press(page.get_by_role("button", name="Sign in"))
    await visitor.wait_for_path("/pages/benchmarks")


@walk("base.html: Sign out", needs_session=True)
async def sign_out(visitor: Visitor) -> None:
    page = visitor.page
    await page.context.clear_cookies()
    await visitor.open("/pages/sign-in?next=/pages/skills")
    await visitor.fill(page.get_by_label("Token"), visitor.token)
    await visitor.press(page.get_by_role("button", name="Sign in"))
    await visitor.wait_for_path("/pages/skills")
    await visitor.press(page.get_by_role("button", name="Sign out"))
    await visitor.wait_for_path("/pages/sign-in")
    await visitor.open("/pages/skills")
    await visitor.wait_for_path("/pages/sign-in")


@walk(
    "base.html: New run",
    "act/new_run.html: Request the run",
    "act/run_fields.html: input seed",
    "act/run_fields.html: input model",
    "act/run_fields.html: input quantity",
    "act/limits.html: input …",
)
async def request_a_run(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/system")
    await visitor.press(page.get_by_role("link", name="New run"))
    await visitor.wait_for_path("/pages/new-run")
    await visitor.choose(page.get_by_label("Benchmark"), "gravity-chute")
    await visitor.fill(page.get_by_label("Seed"), "7")
    await visitor.fill(page.get_by_label("Model"), "offline")
    await visitor.fill(page.get_by_label("Machines to price"), "10")
    await visitor.fill(page.get_by_label("max parts"), "12")
    await visitor.press(page.get_by_role("button", name="Request the run"))
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Gravity chute, seed 7", timeout=PATIENCE_MS)
    run_id = page.url.partition("?")[0].rpartition("/")[2]
    run = (await visitor.world.http.get(f"/runs/{run_id}")).raise_for_status().json()
    assert run["assignment"]["limits"]["max_parts"] == 12


@walk("act/own_benchmark.html: Send it and request the run")
async def run_a_benchmark_of_ones_own(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/new-run")
    await visitor.press(page.get_by_role("link", name="Send one of your own"))
    await visitor.wait_for_path("/pages/own-benchmark")
    packed = pack("mine", files_of(SUITE / "gravity-chute"), ".tar.gz")
    await page.get_by_label("Archive of its folder").set_input_files(
        {"name": "mine.tar.gz", "mimeType": "application/gzip", "buffer": packed}
    )
    await visitor.fill(page.get_by_label("Seed"), "5")
    await visitor.press(page.get_by_role("button", name="Send it and request the run"))
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Gravity chute, seed 5", timeout=PATIENCE_MS)


@walk("act/quote.html: Quote")
async def quote_a_file(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/runs")
    await visitor.press(page.get_by_role("link", name="Quote a part"))
    await visitor.wait_for_path("/pages/quote")
    cube = FilePayload(name="cube.stl", mimeType="model/stl", buffer=b"solid cube")
    await page.locator("#file").set_input_files(cube)
    await visitor.press(page.get_by_role("button", name="Quote"))
    await page.wait_for_url("**/pages/quotes/*", timeout=PATIENCE_MS)
    await expect(page.get_by_role("heading", name="Quote of cube.stl")).to_be_visible(timeout=PATIENCE_MS)


@walk("act/ask.html: Ask")
async def ask_about_an_image(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/ask")
    await visitor.fill(page.get_by_label("Question"), "How many colours?")
    pictures = [FilePayload(name=name, mimeType="image/png", buffer=image(32, 24)) for name in ("a.png", "b.png")]
    await page.get_by_label("Images").set_input_files(pictures)
    await visitor.fill(page.get_by_label("Answers to choose from"), "one")
    await page.keyboard.press("Enter")
    await page.keyboard.type("two")
    await visitor.press(page.get_by_role("button", name="Ask"))
    await page.wait_for_url("**/pages/runs/*", timeout=PATIENCE_MS)
    run_id = page.url.rpartition("/")[2]
    asked = (await visitor.world.http.get(f"/questions/{run_id}")).raise_for_status().json()["asked"]["question"]
    assert (len(asked["frames"]), asked["answer"]["choices"]) == (2, ["one", "two"])


@walk("catalog/benchmark.html: New run")
async def request_a_run_of_a_benchmark(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/benchmarks/detour?seed=3")
    await visitor.press(page.locator("main").get_by_role("link", name="New run"))
    await visitor.wait_for_path("/pages/new-run")
    await expect(page.get_by_label("Benchmark")).to_have_value("detour", timeout=PATIENCE_MS)
    await expect(page.get_by_label("Seed")).to_have_value("3")


@walk("act/run.html: Cancel the run")
async def cancel_a_run(visitor: Visitor) -> None:
    page, request = visitor.page, new_request()
    await visitor.world.publish([request])
    await visitor.open(f"/pages/runs/{request.run_id}")
    await visitor.press(page.get_by_role("link", name="cancel …"))
    await visitor.press(page.get_by_role("button", name="Cancel the run"))
    await visitor.wait_for_path(f"/pages/runs/{request.run_id}")
    await page.wait_for_selector("a.row[data-type=CancelRequested]", timeout=PATIENCE_MS)


@walk("act/run.html: Continue")
async def continue_a_run(visitor: Visitor) -> None:
    page = visitor.page
    code = await visitor.world.artifacts.put(b"# nothing\n", CODE_TYPE)
    request = with_code(new_request().model_copy(update={"continues": None}), code)
    await visitor.world.record([request, run_failure(request)])
    await visitor.open(f"/pages/runs/{request.run_id}")
    await visitor.press(page.get_by_role("link", name="continue …"))
    await visitor.fill(page.get_by_label("Instruction for the next attempt"), f"lighter {uuid4()}")
    await visitor.press(page.get_by_role("button", name="Continue"))
    await page.locator("#summary").get_by_role("link", name="continues").wait_for(timeout=PATIENCE_MS)


@walk("runs/list.html: Filter")
async def filter_runs(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/runs")
    await visitor.choose(page.get_by_label("Outcome"), "succeeded")
    await visitor.fill(page.get_by_label("Model"), "offline")
    await visitor.press(page.get_by_role("button", name="Filter"))
    await page.wait_for_url("**/pages/runs?outcome=succeeded&**", timeout=PATIENCE_MS)
    await page.locator(f"#run-{visitor.run.run_id}").wait_for(timeout=PATIENCE_MS)
    assert set(await page.locator("#runs .outcome").all_inner_texts()) == {"succeeded"}


@walk("runs/list.html: Compare two marked runs", "runs/table.html: input run")
async def compare_runs(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/runs?outcome=succeeded")
    for number in range(2):
        await visitor.press(page.get_by_role("checkbox", name="Mark").nth(number))
    await visitor.press(page.get_by_role("button", name="Compare two marked runs"))
    await expect(page.get_by_role("heading", level=1)).to_have_text("Comparison", timeout=PATIENCE_MS)
    assert await page.locator(".panes > section").count() == 2


@walk("catalog/evaluation_pairs.html: Compare")
async def compare_evaluations(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open("/pages/evaluations")
    await visitor.choose(page.locator("select[name=first]"), "new")
    await visitor.choose(page.locator("select[name=second]"), "old")
    await visitor.press(page.get_by_role("button", name="Compare"))
    await page.get_by_role("heading", name="new and old in pairs").wait_for(timeout=PATIENCE_MS)


@walk("run/page.html: Show")
async def show_groups_of_events(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open(f"{visitor.run.path}?show=plan&show=cell")
    await visitor.press(page.get_by_role("checkbox", name="cell"))
    await visitor.press(page.get_by_role("button", name="Show"))
    await wait_for_rows(page, sum(each.type in {"PlanProposed", "PlanApproved"} for each in visitor.run.events))


@walk("run/simulations.html: select simulation")
async def choose_a_simulation(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open(visitor.run.path)
    await wait_for_view(page)
    select = page.locator("select.simulation")
    values = await select.evaluate("select => [...select.options].map(each => each.value)")
    shown = await select.input_value()
    other = next(each for each in values if each != shown)
    await visitor.choose(select, other)
    await page.wait_for_selector(f".replay[data-ready='{other}']", timeout=PATIENCE_MS)


@walk("blocks/moments.html: … s")
async def go_to_a_moment(visitor: Visitor) -> None:
    await _open_event(visitor, "DesignSimulated")
    moment = visitor.page.locator("#event .moments button").last
    time_s = float(await moment.get_attribute("data-time") or "")
    await visitor.press(moment)
    shown = "time => Math.abs(document.querySelector('.replay').viewer.state().time_s - time) < 0.01"
    await visitor.wait_for(shown, time_s)


@walk("blocks/table.html: …")
async def select_a_part_of_a_table(visitor: Visitor) -> None:
    await _open_event(visitor, "DesignSimulated")
    await _select_part(visitor, "#event table button.part")


@walk("blocks/findings.html: …")
async def select_the_part_of_a_finding(visitor: Visitor) -> None:
    await _open_event(visitor, "DesignInvalidated")
    await _select_part(visitor, "#event .findings button.part")


@walk("blocks/clip.html: clip.webp")
async def download_a_clip(visitor: Visitor) -> None:
    page = visitor.page
    cursor = await visitor.world.cursor_of(visitor.run, "FilmCompleted")
    await visitor.open(f"{visitor.run.path}?event={cursor}")
    await visitor.press(page.locator("#event details.clip summary"))
    async with page.expect_download(timeout=PATIENCE_MS) as download:
        await visitor.press(page.locator("#event a[download='clip.webp']"))
    assert await (await download.value).failure() is None


@walk("run/page.html: All files as one zip", "run/files.html: All files as one zip")
async def download_all_files(visitor: Visitor) -> None:
    page, request = visitor.page, new_request()
    await visitor.world.record([request, run_failure(request)])
    await visitor.open(f"/pages/runs/{request.run_id}")
    await visitor.press(page.locator("summary", has_text="Download what was made"))
    await page.locator("ul.files").wait_for(timeout=PATIENCE_MS)
    async with page.expect_download(timeout=PATIENCE_MS) as download:
        await visitor.press(page.get_by_role("link", name="All files as one zip"))
    assert await (await download.value).failure() is None


@walk("run/files.html: ……")
async def download_a_file(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open(visitor.run.path)
    await visitor.press(page.locator("summary", has_text="Download what was made"))
    async with page.expect_download(timeout=PATIENCE_MS) as download:
        await visitor.press(page.locator("ul.files a[download]", has_text="poster.png"))
    assert (await download.value).suggested_filename.endswith("-poster.png")


@walk("viewer.js: toolbar")
async def use_the_3d_view(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.open(visitor.run.path)
    await wait_for_view(page)
    buttons = page.locator(".mv-time > button:visible, .mv-tools button:visible")
    assert await buttons.count() > 5
    for number in range(await buttons.count()):
        button = buttons.nth(number)
        pressed = await button.get_attribute("aria-pressed")
        await visitor.press(button)
        if pressed is not None:
            await expect(button).not_to_have_attribute("aria-pressed", pressed, timeout=PATIENCE_MS)
    assert await page.locator(".mv-failure").count() == 0


async def _open_event(visitor: Visitor, type_: str) -> None:
    cursor = await visitor.world.cursor_of(visitor.run, type_)
    await visitor.open(f"{visitor.run.path}?event={cursor}")
    await wait_for_view(visitor.page)


async def _select_part(visitor: Visitor, selector: str) -> None:
    button = visitor.page.locator(selector).first
    label = await button.get_attribute("data-part")
    await visitor.press(button)
    await visitor.wait_for("label => document.querySelector('.replay').viewer.state().part === label", label)
