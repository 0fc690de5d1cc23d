"""A format and a check for Ossature."""
