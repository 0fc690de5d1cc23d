"""MathML content markup of COLLADA formulas, read and written."""
