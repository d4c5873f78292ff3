"""Ratings of bought parts, as the rules of mechanisms need them."""
