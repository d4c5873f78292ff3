"""The expert's router: from a problem in plain numbers to a channel of boxes. Pure arithmetic, no CAD, no physics."""
