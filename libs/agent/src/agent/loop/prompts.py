"""Prompt templates of a role: Jinja2 files in which a missing value is an error."""

from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


class Prompts:
    """The templates in the `prompts` folder of a service's package."""

    def __init__(self, package: str) -> None:
        self._templates = Environment(
            loader=PackageLoader(package, "prompts"),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701 - Markdown for a model, not HTML
        )
        self.digest = _digest(package)

    def render(self, name: str, **values: str | int) -> str:
        """Render the template `<name>.md.j2`; `values` must hold every name that it uses."""
        return self._templates.get_template(f"{name}.md.j2").render(**values).strip()


def _digest(package: str) -> str:
    """Return one sha256 over names and contents of all prompt files."""
    folder = files(package) / "prompts"
    digest = sha256()
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".md.j2"):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
