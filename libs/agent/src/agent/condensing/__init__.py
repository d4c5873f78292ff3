"""How a long conversation is kept within a model's prompt budget."""
