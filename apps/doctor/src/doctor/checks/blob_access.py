"""The check that blobs are reached by our keys only: it asks the servers behind S3 without any."""

from pathlib import Path

from local_stack.errors import UserError
from local_stack.servers.seaweedfs_security import open_ports
from local_stack.servers.secrets import read_secrets

from doctor.check import Check, failed, passed

OWN_SERVERS = 2
"""NATS and Postgres come first among the ports; then comes S3, and behind it what must refuse strangers."""


def check_blob_access(folder: Path) -> Check:
    """Check the running SeaweedFS of this data folder."""
    try:
        ports = read_secrets(folder / "secrets.json").ports[OWN_SERVERS + 1 :]
    except (OSError, UserError) as error:
        fix = "read the check `last start`"
        return failed("servers", "blob access", "the ports of SeaweedFS are unknown", fix, str(error))
    found = open_ports(ports)
    if found:
        what = "any user of this machine can read, replace and delete blobs: SeaweedFS answers without a key"
        fix = "stop millwright and start it again: each start gives SeaweedFS new tokens and certificates"
        measured = ", ".join(f"127.0.0.1:{port}" for port in found)
        return failed("servers", "blob access", what, fix, measured)
    return passed("servers", "blob access", f"{len(ports)} ports behind S3 refuse who has no key")
