"""Values that travel inside events and are used by more than one service."""
