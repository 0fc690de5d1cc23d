"""Tests of URDF."""
