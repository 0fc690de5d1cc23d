"""Animations of nodes and joints."""
