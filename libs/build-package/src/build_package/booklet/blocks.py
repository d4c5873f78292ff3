"""The blocks of a text in Markdown: headings, paragraphs, entries of lists, tables and pictures."""

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode


@dataclass(frozen=True)
class Paragraph:
    """A run of text; level: 1 to 3 for headings, 0 for plain text."""

    text: str
    level: int = 0
    mark: str = ""
    """What is before an entry of a list."""


@dataclass(frozen=True)
class TableRows:
    """Rows of cells, the head first."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class NamedPicture:
    """A picture by its path."""

    path: str


Block = Paragraph | TableRows | NamedPicture


def blocks_of(markdown: str) -> Iterator[Block]:
    """Yield the blocks of a text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    yield from _blocks(SyntaxTreeNode(tokens), "")


def _blocks(node: SyntaxTreeNode, mark: str) -> Iterator[Block]:
    for child in node.children:
        if child.type == "table":
            rows = [row for part in child.children for row in part.children]
            yield TableRows(tuple(tuple(map(_text, row.children)) for row in rows))
        elif child.type in {"bullet_list", "ordered_list"}:
            for number, item in enumerate(child.children, start=1):
                yield from _blocks(item, "•" if child.type == "bullet_list" else f"{number}.")
        else:
            pictures = [NamedPicture(str(each.attrs["src"])) for each in child.walk() if each.type == "image"]
            level = int(child.tag[1:]) if child.type == "heading" else 0
            yield from pictures or [Paragraph(_text(child), level, mark)]


def _text(node: SyntaxTreeNode) -> str:
    """Return plain text; a link has its path, which paper cannot follow, where its words do not end the path."""
    if node.type == "softbreak":
        return " "
    words = "".join(map(_text, node.children)) if node.children else node.content if not node.nester_tokens else ""
    path = str(node.attrs["href"]) if node.type == "link" else ""
    return words if path.endswith(words) or not path else f"{words} ({path})"
