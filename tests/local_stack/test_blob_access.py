"""What a user of the machine without our keys reaches of the blobs, on the real server."""

import asyncio
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from doctor.checks.blob_access import check_blob_access
from local_stack.data_folder import write_private
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK, free_ports, seaweedfs_socket
from local_stack.servers.seaweedfs import PORT_OPTIONS
from local_stack.servers.seaweedfs_security import open_ports, remove_sockets, write_security
from local_stack.servers.secrets import Secrets, read_secrets
from local_stack.servers.server_stack import ServerStack

GRPC = tuple(index for index, option in enumerate(PORT_OPTIONS) if option.endswith("grpc"))


@pytest.fixture
def ports(servers: ServerStack) -> tuple[int, ...]:
    """Those of SeaweedFS, in the order of its options."""
    return read_secrets(servers.folder / "secrets.json").ports[2:]


async def test_stranger_reaches_nothing_behind_s3(
    servers: ServerStack, ports: tuple[int, ...], s3_settings: S3Settings
) -> None:
    artifacts = Artifacts(s3_settings)
    await artifacts.start()
    try:
        ref = await artifacts.put(b"a blob of ours", "text/plain")
        await artifacts.wait_until_uploaded([ref])
        assert await asyncio.to_thread(open_ports, ports[1:]) == []
        assert check_blob_access(servers.folder).ok
    finally:
        await artifacts.stop()


@pytest.mark.parametrize("index", GRPC)
def test_grpc_refuses_who_has_no_certificate(ports: tuple[int, ...], index: int) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection((LOOPBACK, ports[index]), 5) as plain,
        pytest.raises(ssl.SSLError, match="certificate"),
        context.wrap_socket(plain) as connection,
    ):  # with TLS 1.3 the refusal follows the handshake
        connection.recv(1)


def test_tokens_and_keys_are_private(servers: ServerStack) -> None:
    for name in ("security.toml", "key.pem", "cert.pem", "ca.pem"):
        assert (servers.folder / "seaweedfs" / name).stat().st_mode & 0o777 == 0o600


def test_each_start_has_its_own_tokens_and_authority(tmp_path: Path) -> None:
    write_security(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_security(tmp_path)
    assert all(path.read_bytes() != first[path.name] for path in tmp_path.iterdir())


def test_server_without_access_control_is_found_open(tmp_path: Path) -> None:
    port, grpc = free_ports(2)
    command = [str(script("weed")), "master", f"-mdir={tmp_path}", f"-ip={LOOPBACK}", f"-port={port}"]
    process = subprocess.Popen([*command, f"-port.grpc={grpc}"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    secrets = Secrets(ports=(1, 1, 1, grpc))
    write_private(tmp_path / "secrets.json", secrets.model_dump_json())
    try:
        deadline = time.monotonic() + 60
        while not open_ports((grpc,)) and time.monotonic() < deadline:
            time.sleep(0.05)
        (failure,) = check_blob_access(tmp_path).failures
        assert failure.measured == f"127.0.0.1:{grpc}"
    finally:
        process.kill()
        process.wait()


def test_sockets_of_an_earlier_start_are_removed() -> None:
    (port,) = free_ports(1)
    path = seaweedfs_socket("volume", port)
    path.unlink(missing_ok=True)  # a server that was killed left it
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    remove_sockets((0, 0, port, 0))
    assert not path.exists()
