"""What making a part costs: machines, rates and price formulas of the three methods, without any geometry."""
