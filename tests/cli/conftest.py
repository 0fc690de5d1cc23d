"""Recordings that several files of tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.state_commands import CRANK, fine


@pytest.fixture(scope="session")
def crank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of recordings and states of a slider-crank."""
    folder = tmp_path_factory.mktemp("crank")
    for suffix in ("usdf", "parquet"):
        fine("simulate", CRANK, "--duration", 0.4, "--sample-interval", 0.01, "--record", folder / f"run.{suffix}")
    fine("simulate", CRANK, "--duration", 0.2, "--save-state", folder / "half.usdf")
    fine("simulate", CRANK, "--duration", 0.4, "--save-state", folder / "whole.usdf")
    return folder
