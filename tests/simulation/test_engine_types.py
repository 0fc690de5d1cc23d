"""The types in stubs/mujoco/__init__.pyi are those of the installed engine."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest

STUBS = Path(__file__).parents[2] / "stubs" / "mujoco" / "__init__.pyi"
TREE = ast.parse(STUBS.read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}
DTYPES = {"Vector": np.float64, "Indices": np.int32, "Booleans": np.bool_}
PLAIN_TYPES = {"int": int, "float": float, "bool": bool, "str": str}


def _instances() -> dict[str, object]:
    """Return an object of each class of the engine, in a model with a contact and a joint."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(pos=(0.0, 0.0, 0.99))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1.0, 1.0, 1.0))
    elements = [body, body.add_freejoint(), body.add_geom(size=(1.0, 1.0, 1.0)), body.add_site()]
    actuator = spec.add_actuator(target="site", trntype=mujoco.mjtTrn.mjTRN_SITE)
    elements[3].name = "site"
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    other = mujoco.MjSpec()
    parts = [actuator, other.add_mesh(), other.add_equality(), other.add_exclude(), other.add_tendon(), spec.compiler, spec]
    visual, scene = model.vis, mujoco.MjvScene(model, maxgeom=2)
    engine = [model, data, model.opt, model.stat, visual, data.contact, data.contact[0], data.warning, data.warning[0]]
    settings = [mujoco.MjvOption(), mujoco.MjLogConfig.get()]
    return {
        **{type(one).__name__: one for one in (*elements, *parts, *engine, *settings, scene)},
        "MjvLight": mujoco.MjvLight(),
        "MjvGLCamera": mujoco.MjvGLCamera(),
        "_Map": visual.map,
        "_Headlight": visual.headlight,
        "_Quality": visual.quality,
        "_Global": visual.global_,
        "_ModelView": model.joint(0),
        "_JointState": data.joint(0),
        "_Enumeration": mujoco.mjtObj.mjOBJ_BODY,
        "Renderer": mujoco.Renderer,
        "FatalError": mujoco.FatalError,
    }


INSTANCES = _instances()


def _is_enumeration(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "_Enumeration" for base in node.bases)


def _members(node: ast.ClassDef) -> Iterator[tuple[str, str | None]]:
    """Yield names and annotations of attributes, and names of methods."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            yield ast.unparse(statement.target), ast.unparse(statement.annotation)
        elif isinstance(statement, ast.FunctionDef):
            is_property = any(ast.unparse(decorator) == "property" for decorator in statement.decorator_list)
            is_setter = any(ast.unparse(decorator).endswith(".setter") for decorator in statement.decorator_list)
            if not is_setter:
                yield statement.name, ast.unparse(statement.returns) if is_property and statement.returns else None


def _check_value(value: object, annotation: str) -> None:
    if annotation in DTYPES or annotation.startswith("NDArray["):
        assert isinstance(value, np.ndarray)
        expected = DTYPES.get(annotation) or getattr(np, annotation.removeprefix("NDArray[np.").removesuffix("]"))
        assert value.dtype == expected
    elif annotation in PLAIN_TYPES:
        assert type(value) is PLAIN_TYPES[annotation]
    elif annotation.startswith("Sequence["):
        assert isinstance(value, tuple)
    elif annotation.startswith("_"):
        assert type(value) is type(INSTANCES[annotation])
    else:
        assert type(value).__name__ == annotation


@pytest.mark.parametrize("name", [name for name, node in CLASSES.items() if not _is_enumeration(node)])
def test_the_engine_has_the_members_of_a_class(name: str) -> None:
    instance = INSTANCES[name]
    for member, annotation in _members(CLASSES[name]):
        if member == "__iter__":
            assert iter(instance)  # the engine's lists are iterable by index
        elif annotation is None:
            assert callable(getattr(instance, member)), member
        elif instance is not mujoco.Renderer:  # its scene needs a graphics context
            _check_value(getattr(instance, member), annotation)


@pytest.mark.parametrize("name", [name for name, node in CLASSES.items() if _is_enumeration(node)])
def test_the_engine_has_the_values_of_an_enumeration(name: str) -> None:
    kind = getattr(mujoco, name)
    for member, _ in _members(CLASSES[name]):
        assert type(getattr(kind, member)) is kind


def test_the_engine_has_public_classes_constants_and_functions() -> None:
    for node in TREE.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            assert inspect.isclass(getattr(mujoco, node.name))
        elif isinstance(node, ast.FunctionDef):
            assert callable(getattr(mujoco, node.name))
        elif isinstance(node, ast.AnnAssign) and node.value is None:
            _check_value(getattr(mujoco, ast.unparse(node.target)), ast.unparse(node.annotation))


@pytest.mark.parametrize("node", [node for node in TREE.body if isinstance(node, ast.FunctionDef)], ids=lambda node: node.name)
def test_functions_have_the_engines_parameters(node: ast.FunctionDef) -> None:
    signature = (getattr(mujoco, node.name).__doc__ or "").splitlines()[0]
    parameters = [argument.arg for argument in node.args.args]
    if node.name != "set_mju_user_warning":  # the engine's parameter has no name
        engine = ast.parse(f"def {signature.replace('mujoco._structs.', '')}: ...").body[0]
        assert isinstance(engine, ast.FunctionDef)
        assert [argument.arg for argument in engine.args.args] == parameters
