"""From build123d's docstrings to pages that an agent opens when it needs them."""
