"""The panels of the page, one module for each."""
