"""Models: what each can do, and the adapters that call it."""
