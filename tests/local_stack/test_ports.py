"""Ports that servers of several users of one machine choose."""

import os
import socket

import pytest
from local_stack.errors import UserError
from local_stack.servers import ports
from local_stack.servers.ports import (
    LOOPBACK,
    PARTS,
    claim_ports,
    free_ports,
    is_free,
    release,
    seaweedfs_socket,
)


@pytest.mark.parametrize("part", PARTS)
def test_port_whose_socket_another_user_left_behind_is_not_free(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed SeaweedFS leaves it in /tmp for good: of another user, the next one on that port never serves."""
    (port,) = free_ports(1)
    left = seaweedfs_socket(part, port)
    left.unlink(missing_ok=True)  # a server that was killed left it
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(left))
        try:
            assert is_free(port), "this user's own are removed at the start"
            user = os.geteuid()
            monkeypatch.setattr(os, "geteuid", lambda: user + 1)
            assert not is_free(port)
        finally:
            left.unlink()


def test_preferred_ports_are_claimed_unless_one_is_taken() -> None:
    preferred = free_ports(3)
    claims = claim_ports(3, preferred)
    assert tuple(claim.port for claim in claims) == preferred
    release(claims)
    with socket.create_server((LOOPBACK, preferred[0])):
        others = claim_ports(3, preferred)
        assert preferred[0] not in {claim.port for claim in others}
        release(others)


def test_claimed_port_is_taken_for_others_and_free_for_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Postgres creates its cluster for seconds before it listens; another stack took its port meanwhile."""
    (claim,) = claim_ports(1)
    monkeypatch.setattr(ports, "CANDIDATES", 1)
    monkeypatch.setattr(ports, "FIRST", claim.port)
    monkeypatch.setattr(ports, "LAST", claim.port + 1)
    with pytest.raises(UserError, match="no 1 free ports"):
        claim_ports(1, [claim.port])
    for _restart in range(2):
        with socket.create_server((LOOPBACK, claim.port)):
            pass
    release([claim])
    release(claim_ports(1))
