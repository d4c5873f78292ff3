"""How the expert works as an engineer: what it asks, what it writes, what it makes of the answers."""
