"""See kernel_host.sessions.session."""

from kernel_host.sessions.session import Cell

__all__ = ["Cell"]
