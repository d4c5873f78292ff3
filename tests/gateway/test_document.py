"""The document of the API, and its page, agree with the code."""

import json
import re
import shlex
from typing import Any

import pytest
from gateway.http.access import scope_of
from gateway.http.guard import PUBLIC_PATHS

from tests.architecture.repository import ROOT
from tests.gateway.regenerate import FILE, document

DOCUMENT: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
OPERATIONS = [(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]


def test_committed_document_is_current() -> None:
    """To update it: `python -m tests.gateway.regenerate`."""
    assert FILE.read_text("utf-8") == document()
    assert DOCUMENT["openapi"] == "3.1.0"


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_operation_states_the_scope_that_the_guard_asks_for(method: str, path: str) -> None:
    stated = DOCUMENT["paths"][path][method].get("security")
    expected = None if path in PUBLIC_PATHS else [{"HTTPBearer": [scope_of(method.upper(), path)]}]
    assert stated == expected


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_errors_of_an_operation_are_problems(method: str, path: str) -> None:
    for status in ("401", "403", "404", "422", "429"):
        content = DOCUMENT["paths"][path][method]["responses"][status]["content"]
        assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}


def test_commands_of_the_page_use_operations_that_exist() -> None:
    used = {path for line in COMMANDS for path in re.findall(r'"\$API(/[^"?]*)', line)}
    known = {re.sub(r"\{\w+\}", "$RUN", path) for path in DOCUMENT["paths"]}
    assert used
    assert used <= known
    assert all(shlex.split(line) for line in COMMANDS)


def test_page_names_every_limit() -> None:
    settings = (ROOT / "services/gateway/src/gateway/settings.py").read_text("utf-8")
    for name in re.findall(r"^    (gateway_\w+):", settings, re.MULTILINE):
        assert f"`{name.upper()}`" in PAGE, name
