"""Stress, deflection, natural frequency and buckling of exact solids by finite elements."""
