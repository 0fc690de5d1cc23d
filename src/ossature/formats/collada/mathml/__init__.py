"""Reader and writer of the MathML content markup of COLLADA formulas."""
