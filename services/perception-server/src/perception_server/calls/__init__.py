"""The HTTP side: requests, their queue, and answers."""
