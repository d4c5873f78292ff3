"""Ports that servers of several users of one machine choose."""

import os
import socket

import pytest
from local_stack.servers.ports import PARTS, free_ports, is_free, seaweedfs_socket


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
