"""Stress, buckling and deflection of single parts by beam theory, on the loads of the simulation."""
