"""Advice on operations that make a new shape, which is the usual reason why a part lacks what was set on it before."""

NEW_SHAPE = "fillet, chamfer, mirror, scale, +, - and & return a new shape"
SET_LAST = f"{NEW_SHAPE} without label and metadata: set both last, after the last of these"
JOINTS_LAST = f"{NEW_SHAPE} without its joints, or with joints in the wrong place: make and connect joints last"
