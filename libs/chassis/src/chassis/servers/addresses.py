"""Which addresses no announced server may have: those where clouds serve a machine's own secrets."""

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

METADATA = tuple(
    map(ip_network, ("100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::/32"))
)
"""Metadata of clouds outside of the link-local networks: Alibaba, Azure, Oracle, AWS and Google over IPv6."""
NAT64 = ip_network("64:ff9b::/96")


def refused_address(url: str) -> str | None:
    """Return why a server at this URL is refused; None if it is not, or if its name is unknown now.

    Names are looked up, which blocks, and so are unusual notations of an address, such as 2852039166.
    """
    host = urlsplit(url).hostname or ""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    for address in {str(each[4][0]).partition("%")[0] for each in found}:
        if any(map(_is_refused, _meanings(ip_address(address)))):
            return f"{host} is {address}, an address of this link or of a cloud's metadata, where no server may be"
    return None


def _is_refused(address: IPv4Address | IPv6Address) -> bool:
    is_metadata = any(address.version == each.version and address in each for each in METADATA)
    return address.is_link_local or address.is_multicast or address.is_unspecified or is_metadata


def _meanings(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """Yield the address, and the IPv4 address that it carries."""
    yield address
    if isinstance(address, IPv6Address):
        teredo = address.teredo
        carried = (address.ipv4_mapped, address.sixtofour, teredo[1] if teredo else None)
        yield from (each for each in carried if each is not None)
        if address in NAT64 or int(address) >> 32 == 0:
            yield IPv4Address(int(address) & 0xFFFFFFFF)
