"""MuJoCo's options as attributes of a physics scene (``MjcSceneAPI`` of MuJoCo's schemas)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from ossature.formats.usd.mujoco_elements import has_mujoco_elements
from ossature.formats.usd.stage import Prim
from ossature.formats.usd.usda_text import UsdPrim, number, quoted
from ossature.model import Model, MujocoOption

_NUMBER_TYPES = {
    item.name: "int" if item.type.startswith("int") else "double"
    for item in fields(MujocoOption)
    if isinstance(item.type, str) and item.type.startswith(("int", "float"))
}
"""The types of the attributes of numbers, by the name of the option."""
_WORDS = frozenset(("integrator", "cone", "jacobian", "solver"))
_TOKENS = {"Euler": "euler", "RK4": "rk4", "PGS": "pgs", "CG": "cg", "Newton": "newton"}
"""Tokens of the schema for words that MuJoCo's options spell otherwise."""
_SPELLINGS = {token: word for word, token in _TOKENS.items()}
_DISABLED_BY_DEFAULT = frozenset(("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact"))
_OPTION, _FLAG = "mjc:option:", "mjc:flag:"

SUPPORTED_OPTIONS = frozenset((*_NUMBER_TYPES, *_WORDS, "disabled", "enabled"))
"""The names of the options that a scene can state here."""


def read_options(scene: Prim | None, models: Sequence[Model]) -> MujocoOption:
    """Return the options of MuJoCo that a scene states.

    They state an integrator if a model has elements that only MuJoCo simulates.
    """
    options = MujocoOption() if scene is None else _stated_options(scene)
    return (
        replace(options, integrator=options.integrator or "implicitfast") if any(map(has_mujoco_elements, models)) else options
    )


def _stated_options(scene: Prim) -> MujocoOption:
    stated: dict[str, object] = {}
    for name in [name for name in scene.attributes if name.startswith(_OPTION)]:
        key = name.removeprefix(_OPTION)
        if key in _WORDS:
            token = scene.token(name, "")
            stated[key] = _SPELLINGS.get(token, token) or None
        elif key in _NUMBER_TYPES:
            value = scene.finite(name, 0.0)
            stated[key] = int(value) if _NUMBER_TYPES[key] == "int" else value
    flags = {name.removeprefix(_FLAG): scene.flag(name, True) for name in scene.attributes if name.startswith(_FLAG)}
    unusual = sorted(name for name, is_on in flags.items() if is_on == (name in _DISABLED_BY_DEFAULT))
    stated["disabled"] = tuple([name for name in unusual if not flags[name]]) or None
    stated["enabled"] = tuple([name for name in unusual if flags[name]]) or None
    return MujocoOption(**stated)  # type: ignore[arg-type]  # fields of the class


def write_options(options: MujocoOption, scene: UsdPrim) -> None:
    """Write the supported options as attributes of a scene."""
    scene.apply("MjcSceneAPI")
    for name, kind in _NUMBER_TYPES.items():
        value = getattr(options, name)
        if value is not None:
            scene.add(f"uniform {kind}", f"{_OPTION}{name}", number(value))
    for name in sorted(_WORDS):
        word = getattr(options, name)
        if word is not None:
            scene.add("uniform token", f"{_OPTION}{name}", quoted(_TOKENS.get(word, word)))
    for names, is_on in ((options.disabled, 0), (options.enabled, 1)):
        for name in names or ():
            scene.add("uniform bool", f"{_FLAG}{name}", str(is_on))
