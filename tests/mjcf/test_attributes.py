"""Every attribute of MJCF, changed in turn: our model and the written file are those that MuJoCo compiles.

In other formats the change is kept, or it is in the ledger.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from mjcf.attribute_changes import attributes, change_of, outcome_of, world_of
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Report

_OLD = "MuJoCo 4 does not accept it any more, or not yet"
_ORIENTATION = "MuJoCo refuses cutoffs of directions and orientations"
_NAME = "other elements refer to the name"
_OTHERS = "MuJoCo accepts other values only with content that the own files do not have"
NOT_ACCEPTED: dict[str, str] = {
    "mujoco/worldbody/composite": _OLD,
    "mujoco/worldbody/flexcomp/contact/@internal": _OLD,
    "mujoco/equality/flexvert": _OLD,
    **{f"mujoco/sensor/{tag}/@cutoff": _ORIENTATION for tag in ("ballquat", "framequat")},
    **{f"mujoco/sensor/frame{axis}axis/@cutoff": _ORIENTATION for axis in "xyz"},
    **dict.fromkeys(("mujoco/asset/hfield/@name", "mujoco/asset/model/@name", "mujoco/default/@class"), _NAME),
    **dict.fromkeys(("mujoco/extension/plugin/@plugin", "mujoco/extension/plugin/instance/@name"), _NAME),
    **dict.fromkeys(("mujoco/asset/model/@file", "mujoco/asset/skin/@file"), _OTHERS),
    **dict.fromkeys(("mujoco/custom/tuple/element/@objtype", "mujoco/sensor/user/@objtype"), _OTHERS),
    **dict.fromkeys(("mujoco/deformable/flex/@node", "mujoco/deformable/flex/edge/@stiffness"), _OTHERS),
    **dict.fromkeys(("mujoco/equality/flexstrain/@cell", "mujoco/equality/flexstrain/@flex"), _OTHERS),
    **{f"mujoco/actuator/plugin/@{name}": _OTHERS for name in ("cranklength", "cranksite", "slidersite", "instance", "plugin")},
    **{f"mujoco/sensor/plugin/@{name}": _OTHERS for name in ("objtype", "plugin", "refname")},
    **{f"mujoco/worldbody/plugin/{name}": _OTHERS for name in ("@instance", "@plugin", "config/@key")},
    "mujoco/worldbody/flexcomp/edge/@stiffness": _OTHERS,
}
"""Attributes that cannot be changed in an own file, with the reason; an element stands for all its attributes."""


def _reason(path: str) -> str | None:
    return next((reason for known, reason in NOT_ACCEPTED.items() if path == known or path.startswith(f"{known}/")), None)


@pytest.mark.parametrize(("first", "step"), [(7, 380), *(pytest.param(n, 8, marks=pytest.mark.slow) for n in range(8))])
def test_a_changed_attribute_has_the_effect_that_it_has_in_mujoco(first: int, step: int) -> None:
    for attribute in attributes()[first::step]:
        change = change_of(attribute)
        assert (change is None) == (_reason(attribute.path) is not None), attribute.path
        if change is not None:
            outcome = outcome_of(change)
            assert not (outcome.read or outcome.written), f"{attribute.path} in {change.base}: {outcome}"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".urdf", ".skel", ".dae", ".yaml"])
def test_a_changed_attribute_is_kept_or_in_the_ledger(suffix: str, tmp_path: Path) -> None:
    for attribute in attributes()[::19]:
        change = change_of(attribute)
        if change is None:
            continue
        world = world_of(change.text, Report())
        assert world is not None, attribute.path
        ledger = ossature.save(world, tmp_path / f"written{suffix}")
        again, report = ossature.read(tmp_path / f"written{suffix}")
        assert again is not None, f"{attribute.path}: {report}"
        assert not uncovered_differences(world, again, ledger, tolerance=1e-9), attribute.path
