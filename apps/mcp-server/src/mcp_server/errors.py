"""The error of a client."""


class ClientError(Exception):
    """A client asks for what it cannot have; the message says why and what to do."""
