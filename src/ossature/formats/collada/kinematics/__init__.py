"""Kinematics models, joints, formulas and articulated systems."""
