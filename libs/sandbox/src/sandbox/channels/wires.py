"""What connects a child with its host: a channel for control and tools, one pipe for words, one for images."""

import os
import socket


class Wires:
    """Both ends of each, until the child has its own."""

    def __init__(self) -> None:
        self.channel, its_channel = socket.socketpair()
        self.printed, prints = os.pipe()
        self.images, shows = os.pipe()
        self.its_ends = [its_channel.detach(), prints, shows]
        """In the order in which the zygote expects them."""

    def close_its_ends(self) -> None:
        """Let go of the child's ends."""
        while self.its_ends:
            os.close(self.its_ends.pop())

    def close(self) -> None:
        """Let go of everything: there will be no child."""
        self.close_its_ends()
        self.channel.close()
        os.close(self.printed)
        os.close(self.images)
