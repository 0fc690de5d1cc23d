"""Mass properties that Newton 1.8 computes of stages of the corpus, from their colliders and densities."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ossature
import usd  # noqa: F401  # skipped without usd-core

REFERENCE = json.loads((Path(__file__).parent / "newton_mass_properties.json").read_text())
"""Mass, centre of mass and inertia of each body, by stage; the numbers have 32 bits."""


@pytest.mark.corpus
@pytest.mark.parametrize("name", REFERENCE)
def test_mass_properties(corpus: Path, name: str) -> None:
    world = ossature.load(corpus / "corpus" / "usd" / name)
    own = {body.name: body.inertial for model in world.models for body in model.bodies}
    for body, expected in REFERENCE[name].items():
        inertial, moment = own[body], np.array(expected["moment"])
        assert inertial.mass == pytest.approx(expected["mass"], rel=1e-4)
        assert inertial.center_of_mass == pytest.approx(expected["center"], abs=1e-5)
        assert np.allclose(np.array(inertial.moment), moment, atol=1e-3 * np.abs(moment).max() + 1e-12)
