"""The report as a document: what it has, what it leaves out, and that nothing a model wrote becomes markup."""

import re
from html.parser import HTMLParser

import pytest
from artifacts.testing import FakeArtifacts
from contracts.events.session import CellCompleted, FileWritten
from contracts.models.observation import ShownImage
from run_report.budget import REPORT_BYTES, FileRoom
from run_report.document import comparison_html, report_html
from run_report.page_shell import content_policy
from run_report.pictures import PictureAlbum
from run_report.record import NotReportableError
from run_report.replays import simulations_of

from tests.support.pages.hostile_markup import HOSTILE
from tests.support.pages.reported_run import SCRIPT, StoredRun, png, repeated_with, stored_run, titled, with_texts

TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "article", "nav", "details",
    "summary", "script", "div", "span", "p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd", "ol", "ul", "li",
    "a", "b", "strong", "em", "small", "br", "hr", "time", "label", "select", "option", "input", "button", "meter",
    "table", "thead", "tbody", "tr", "th", "td", "pre", "code", "blockquote", "figure", "figcaption", "img",
}  # fmt: skip


class Markup(HTMLParser):
    """Collects tags, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def attributes(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


@pytest.fixture(scope="module")
def stored() -> StoredRun:
    return stored_run()


async def test_report_has_replays_story_tables_and_script(stored: StoredRun):
    page = await report_html(stored.events, stored.artifacts)
    markup = Markup(page)
    text = " ".join(markup.texts)
    assert len(page.encode()) <= REPORT_BYTES
    assert "design 2: solved" in text
    assert "preview 1: solved" in text
    assert "the world, nothing built" in text
    assert "A channel on two legs" in text
    assert "Every leg stands on the floor." in text
    assert "arm touches payload" in text
    assert "2.15" in text
    assert set(markup.attributes("data-select")) == {"post", "arm"}
    assert markup.attributes("data-parts") == ["post", "arm"]
    assert sum(1 for tag, _ in markup.tags if tag == "img") >= 1


async def test_report_names_no_address_that_a_browser_would_fetch(stored: StoredRun):
    markup = Markup(await report_html(stored.events, stored.artifacts))
    loaded = [*markup.attributes("src"), *markup.attributes("srcset"), *markup.attributes("data")]
    assert all(url.startswith("data:image/webp;base64,") for url in loaded)
    assert all(url.startswith(("#", "http://", "https://")) for url in markup.attributes("href"))
    policy = next(attributes["content"] for _, attributes in markup.tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


async def test_hostile_texts_stay_text_in_a_report(stored: StoredRun):
    events, artifacts = stored.events, stored.artifacts
    clean = Markup(await report_html(events, artifacts))
    hostile = Markup(
        await report_html(titled(repeated_with(with_texts(events, HOSTILE), HOSTILE), HOSTILE[0]), artifacts)
    )
    assert {tag for tag, _ in hostile.tags} <= TAGS
    assert [
        name for _, attributes in hostile.tags for name in attributes if name.startswith("on") or name == "style"
    ] == []
    assert "owned" not in hostile.attributes("id")
    assert all(
        not url.lower().strip().startswith(("javascript", "data:text", "vbscript"))
        for url in hostile.attributes("href")
    )
    for kind in ("script", "style", "meta", "title"):
        assert sum(tag == kind for tag, _ in hostile.tags) == sum(tag == kind for tag, _ in clean.tags)
    text = "".join("".join(hostile.texts).split())
    assert [each for each in HOSTILE if "".join(each.split()) not in text] == []


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_title_stays_text(stored: StoredRun, text: str):
    events, artifacts = stored.events, stored.artifacts
    few = [event for event in events if event.type in {"EngineeringRequested", "RunSucceeded"}]
    markup = Markup(await report_html(titled(few, text), artifacts))
    assert [tag for tag, _ in markup.tags if tag not in TAGS] == []
    assert (
        f"{text}, seed 7" in " ".join("".join(markup.texts).split()).replace("  ", " ") or "\n" in text or "\t" in text
    )


async def test_comparison_shows_both_runs_and_what_differs(stored: StoredRun):
    events, artifacts = stored.events, stored.artifacts
    other = titled([event for event in events if event.type != "RunSucceeded"], "Another")
    page = await comparison_html(events, other, artifacts)
    markup = Markup(page)
    assert len(page.encode()) <= REPORT_BYTES
    assert markup.attributes("data-viewer") == ["0", "1"]
    assert len(set(markup.attributes("data-packed"))) == len(markup.attributes("data-packed"))
    text = " ".join(markup.texts)
    assert "Another, seed 7" in text
    assert "in work" in text


async def test_pictures_beyond_the_size_of_a_report_are_left_out_and_counted(stored: StoredRun):
    artifacts = stored.artifacts
    refs = [await artifacts.put(png(color), "image/png") for color in ("red", "green", "blue")]
    album = PictureAlbum(artifacts, FileRoom(200))
    shown = await album.embed([(ref, str(number)) for number, ref in enumerate(refs)])
    assert [each.caption for each in shown.pictures] == ["0"]
    assert [each[:11] for each in shown.absent] == ["1: left out", "2: left out"]


async def test_missing_and_broken_artifacts_do_not_prevent_a_report(stored: StoredRun):
    events = stored.events
    page = await report_html(events, FakeArtifacts())
    assert "missing simulation" in page
    assert "unreadable picture" in page
    broken = FakeArtifacts()
    text = await broken.put(b"<svg onload=1>", "image/png")
    shown = next(event for event in events if isinstance(event, CellCompleted))
    image = ShownImage(label="x", artifact=text, width_px=1, height_px=1)
    observation = shown.observation.model_copy(update={"images": (image,)})
    changed = [event.model_copy(update={"observation": observation}) if event is shown else event for event in events]
    assert "<svg" not in Markup(await report_html(changed, broken)).attributes("src")


async def test_run_of_another_kind_has_no_report():
    with pytest.raises(NotReportableError, match="no events"):
        await report_html([], FakeArtifacts())


def test_simulations_are_verdicts_then_previews_then_the_world(stored: StoredRun):
    titles = [each.title.split(":")[0] for each in simulations_of(stored.events)]
    assert titles == ["design 2", "design 1", "preview 1", "the world, nothing built"]


def test_policy_allows_exactly_the_scripts_of_the_report():
    policy = content_policy(["a", "b"], "c")
    assert len(re.findall("'sha256-[^']+'", policy)) == 3


def test_script_of_the_example_is_the_one_that_was_written(stored: StoredRun):
    written = [event.text for event in stored.events if isinstance(event, FileWritten)]
    assert written == [SCRIPT]
