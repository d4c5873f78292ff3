"""Documents as models write them, rewritten in the canonical form that the strict parsers read."""
