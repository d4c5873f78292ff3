"""The in-kernel API of a critic: rerun a design, measure loads, find redundant parts."""
