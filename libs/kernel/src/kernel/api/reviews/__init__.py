"""The in-kernel API of a critic: rerun a design, assess its stability, measure loads, find redundant parts."""
