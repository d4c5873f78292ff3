"""Public data sets of spatial questions, read from the user's own copies."""
