"""Markdown and code of models as HTML."""

import pytest
from markupsafe import escape
from viewer.markup import code_html, markdown_html

from tests.run_report.test_report import TAGS, Markup
from tests.support.pages.hostile_markup import HOSTILE


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_no_markup_of_its_own(text: str):
    for page in (markdown_html(text), markdown_html(f"- x\n\n> {text}\n"), code_html(text)):
        markup = Markup(str(page))
        assert [tag for tag, _ in markup.tags if tag not in TAGS - {"script", "style", "meta", "title", "img"}] == []
        assert [
            name for _, each in markup.tags for name in each if name not in {"class", "href", "rel", "data-line"}
        ] == []
        assert all(url.startswith(("http://", "https://")) for url in markup.attributes("href"))


def test_code_keeps_its_text_to_the_letter():
    code = 'a = "<b>"  # ü &amp;\n\n\tif x:\n        pass\n'
    assert "".join(Markup(str(code_html(code))).texts) == code


def test_lines_name_their_parts():
    page = code_html("a\nb\n", {2: ("leg", '"x')})
    assert '<span class="line" data-line="2" data-parts="leg &quot;x">' in page


def test_markdown_of_plans_is_drawn():
    page = markdown_html("# Plan\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. x\n\n[site](https://example.org)")
    assert "<th>a</th>" in page
    assert 'href="https://example.org" rel="noopener noreferrer nofollow"' in page


def test_deeply_nested_markdown_is_bounded():
    assert len(markdown_html(">" * 5000 + "x")) < 20_000


def test_markup_is_not_escaped_again():
    page = markdown_html("a")
    assert escape(page) == page
