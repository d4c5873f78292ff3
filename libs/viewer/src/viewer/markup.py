"""Safe HTML of what models wrote: Markdown without raw HTML, images and script links; and highlighted code.

Both functions return `Markup`, which Jinja2's autoescape leaves as it is. Every other text must go through autoescape.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from html import escape
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup
from pygments import lex
from pygments import token as code_token
from pygments.lexers.python import PythonLexer  # pyright: ignore[reportMissingTypeStubs] - the stubs leave lexers out

LINK_SCHEMES = {"http", "https"}
MAX_NESTING = 20
"""Of Markdown: a text of a thousand `>` must not take a minute."""
CLASS_NAMES: Mapping[object, str] = {**code_token.STANDARD_TYPES}
"""Of pygments, by type of token."""


def markdown_html(text: str) -> Markup:
    """Return Markdown as HTML; raw HTML in it stays text, images become their description."""
    return Markup(_parser().render(text))  # noqa: S704 - the parser escapes: raw HTML is off


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING}).enable("table")
    parser.disable(["image", "html_block", "html_inline"])
    parser.add_render_rule("link_open", _open_link)
    parser.validateLink = _is_safe_link  # pyright: ignore[reportAttributeAccessIssue] - documented as overridable
    return parser


def _open_link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _: EnvType) -> str:
    """Return the tag of a link that neither names this page to the other one nor gives it a hold on this one."""
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, index, options, {})


def _is_safe_link(url: str) -> bool:
    """Whether a link goes to a web page: not to a script, a file or data."""
    try:
        return urlsplit(url.strip()).scheme.lower() in LINK_SCHEMES
    except ValueError:
        return False


def code_html(code: str, parts_of_lines: Mapping[int, Collection[str]] | None = None) -> Markup:
    """Return Python as one `<code>` with a `<span class="line">` for each line, highlighted.

    `parts_of_lines`: labels of the parts that a line, counted from 1, makes; it becomes `data-parts` of the line, with
    blanks between the labels.
    """
    parts = parts_of_lines or {}
    lines = [
        f'<span class="line" data-line="{number}"{_parts_attribute(parts.get(number, ()))}>{line}</span>'
        for number, line in enumerate(_highlighted_lines(code), 1)
    ]
    return Markup(f'<code class="code">{"".join(lines)}</code>')  # noqa: S704 - every piece is escaped


def _parts_attribute(labels: Collection[str]) -> str:
    return f' data-parts="{escape(" ".join(labels))}"' if labels else ""


def _highlighted_lines(code: str) -> list[str]:
    """Return each line as HTML, its tokens in spans with pygments' short class names."""
    lines: list[list[str]] = [[]]
    for kind, value in lex(code.removesuffix("\n"), PythonLexer(stripnl=False, ensurenl=False)):
        name = _class_of(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append(f'<span class="{name}">{escape(piece)}</span>' if name else escape(piece))
    return ["".join(line) + "\n" for line in lines]


def _class_of(kind: object) -> str:
    """Return the class of the nearest standard type above a token's type."""
    while kind not in CLASS_NAMES:
        kind = getattr(kind, "parent", code_token.Token)
    return CLASS_NAMES[kind]
