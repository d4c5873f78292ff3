"""Gaps between parts that move, and fits of shafts in holes, against what the methods keep."""
