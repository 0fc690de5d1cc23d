"""Inverse kinematics of serial chains and whole arms."""
