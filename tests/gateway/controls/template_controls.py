"""What people can press, fill in and choose on pages, as the templates have it."""

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

TEMPLATES = Path(str(files("gateway.pages") / "templates"))
_STATEMENT = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
FIELDS = ("input", "select", "textarea")


def controls_of_templates(folder: Path = TEMPLATES) -> set[str]:
    """Return a name for each: its template and its words, in which … stands for a value.

    Controls are buttons, links that look like buttons or download something, and fields outside of a form of the same
    template. A form without a button counts itself.
    """
    return {
        f"{path.relative_to(folder)}: {name}"
        for path in sorted(folder.rglob("*.html"))
        for name in _Controls.of(path.read_text("utf-8"))
    }


class _Controls(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._words: list[str] | None = None
        self._form: str | None = None
        self._has_button = False

    @classmethod
    def of(cls, template: str) -> list[str]:
        """Return the names of a template's controls."""
        parser = cls()
        parser.feed(_VALUE.sub("…", _STATEMENT.sub("", template)))
        parser.close()
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = f"form {given.get('action', '')}"
            self._has_button = False
        elif tag == "button" or (tag == "input" and given.get("type") in {"submit", "image", "reset", "button"}):
            self._has_button = True
            self._words = []
            if tag == "input":
                self._end(given.get("value", ""))
        elif tag == "a" and ("download" in given or "button" in given.get("class", "").split()):
            self._words = [given.get("download", "")]
        elif tag in FIELDS and self._form is None and given.get("type") != "hidden":
            self.found.append(f"{tag} {given.get('name') or given.get('class', '')}")

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"button", "a"} and self._words is not None:
            self._end("".join(self._words))
        elif tag == "form" and self._form is not None:
            if not self._has_button:
                self.found.append(self._form)
            self._form = None

    def _end(self, words: str) -> None:
        self.found.append(" ".join(words.split()))
        self._words = None
