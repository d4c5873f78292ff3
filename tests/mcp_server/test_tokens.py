"""Tokens of clients over HTTP."""

import stat
from pathlib import Path

import httpx2
import pytest
from mcp_server.tokens import TokenError, TokenFile

from tests.support.mcp_client.command import Command
from tests.support.readme import first_benchmark


async def test_token_is_known_until_its_line_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "mcp" / "tokens"
    tokens = TokenFile(file)
    first, second = tokens.create("laptop"), tokens.create("phone")
    for token, name in ((first, "laptop"), (second, "phone")):
        access = await tokens.verify_token(token)
        assert access is not None
        assert access.client_id == name
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert first not in file.read_text()
    file.write_text(file.read_text().splitlines()[1])
    assert await tokens.verify_token(first) is None
    assert tokens.names() == ["phone"]


@pytest.mark.parametrize("name", ["local", "", "a b", "../x", "laptop"])
def test_name_that_is_taken_or_unsuitable_gets_no_token(tmp_path: Path, name: str) -> None:
    tokens = TokenFile(tmp_path / "tokens")
    tokens.create("laptop")
    with pytest.raises(TokenError):
        tokens.create(name)


async def test_http_client_has_its_own_sessions_and_no_file_of_the_machine(tmp_path: Path) -> None:
    command = Command(tmp_path, first_benchmark(tmp_path))
    laptop, phone = command.token("laptop"), command.token("phone")
    with command.http() as server:
        async with httpx2.AsyncClient() as plain:
            assert (await plain.post(server.url, json={})).status_code == 401
            wrong = {"Authorization": f"Bearer {laptop[:-1]}"}
            assert (await plain.post(server.url, json={}, headers=wrong)).status_code == 401
        for mode in ("auto", "legacy"):
            async with server.client(laptop, mode) as calls, server.client(phone, mode) as others:
                session = str((await calls.data("open_session", benchmark="my-drop"))["session"])
                assert (await calls.data("run_cell", session=session, code="print(1)"))["output"] == "1\n"
                assert "you have no session" in await others.error("run_cell", session=session, code="print(1)")
                assert (await others.data("list_sessions"))["sessions"] == []
                assert "send the content" in await calls.error("quote_file", name="/etc/hostname")
    assert command.leftovers() == []
