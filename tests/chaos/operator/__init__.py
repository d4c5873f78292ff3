"""The operator's campaign: what people do to a stack of one machine, and what is left of its data."""
