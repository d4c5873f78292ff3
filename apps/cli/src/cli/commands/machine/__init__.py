"""Commands about the stack of one machine."""
