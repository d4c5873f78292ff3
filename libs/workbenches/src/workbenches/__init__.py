"""Can this part be made, and for how much? CNC milling, 3D printing and injection moulding."""
