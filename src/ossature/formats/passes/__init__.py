"""Lowering passes: what a target format cannot represent is rewritten before it is written."""
