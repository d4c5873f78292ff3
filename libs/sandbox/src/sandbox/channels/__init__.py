"""Channels between the host and a confined child: messages, printed text, images."""
