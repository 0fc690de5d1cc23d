"""Mechanisms as functional mock-up units: FMI 2 for co-simulation."""

from ossature.fmu.export import export_fmu

__all__ = ["export_fmu"]
