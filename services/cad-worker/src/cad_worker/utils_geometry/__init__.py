"""Geometry behind the functions of `utils`, for cells and for scripts of environments."""
