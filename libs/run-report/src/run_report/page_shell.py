"""The shell of pages that open from disk: what they embed, and the policy that allows just that."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from viewer.drawings import drawing_svg
from viewer.markup import code_html, markdown_html

OWN = files("run_report") / "static"


@dataclass(frozen=True)
class PageShell:
    """Scripts and style within a page, and its content security policy."""

    scripts: tuple[Markup, ...]
    style: Markup
    policy: str

    @classmethod
    def of(cls, scripts: Sequence[str], styles: Sequence[str]) -> "PageShell":
        """Return the shell with our own scripts and styles."""
        embedded, style = [embedded_script(each) for each in scripts], "\n".join(styles)
        return cls(tuple(map(Markup, embedded)), Markup(style), content_policy(embedded, style))  # noqa: S704 - our own


def content_policy(scripts: Sequence[str], style: str) -> str:
    """Return a policy that allows exactly these scripts and this style, embedded pictures, and nothing else."""
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def embedded_script(text: str) -> str:
    """Return a script that can be within a page: nothing in it ends or begins a script element."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--").strip()


@cache
def own_text(name: str) -> str:
    """Return one of the package's scripts or styles."""
    return (OWN / name).read_text(encoding="utf-8")


@cache
def page_templates() -> Environment:
    """Return the templates of all pages; every value is escaped."""
    environment = Environment(
        loader=PackageLoader("run_report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"markdown": markdown_html, "code": code_html, "svg": drawing_svg}
    return environment
