"""Writer of equality constraints: couplings of joints, joints that close loops, constraints and grasps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.write_context import MjcfDocument, WrittenCoordinate
from ossature.formats.mjcf.write_inertial import write_inertial
from ossature.formats.mjcf.write_joint import write_joints
from ossature.kinematics import (
    Connection,
    CoupledCoordinate,
    FormulaError,
    Tree,
    TreeJoint,
    affine_form,
    evaluate,
    model_poses,
    sorted_coupled_coordinates,
)
from ossature.kinematics.forward_kinematics import locked_pose
from ossature.kinematics.joint_graph_edges import has_no_dynamics
from ossature.model import Actuation, Body, Distance, Fixed, Joint, JointPosition, Model, Revolute, Spherical, formula_text
from ossature.model.value_text import kind_text
from ossature.spatial import Pose, Vector3, add, rotate, scale
from ossature.syntax.xml import XmlNode, element

_ARM = 0.1
"""Distance of the second point of a hinge that closes a loop from the first [m]."""
_SAMPLES = 201
_DEGREE = 4
_EXACT = 1e-9
"""Largest error of a polynomial that counts as the formula itself [rad or m]."""


# Couplings


def write_couplings(document: MjcfDocument, model: Model) -> None:
    """Add the couplings of a model: linear ones exactly, others of one coordinate as a polynomial of degree four."""
    if model.static:
        return
    try:
        followers = sorted_coupled_coordinates(model)
    except FormulaError as error:
        document.ledger.dropped(f"{model.name}/{error.position.joint}", f"couplings of the model: {error}")
        return
    for follower in followers:
        _write_coupling(document, model, follower)


def _write_coupling(document: MjcfDocument, model: Model, follower: CoupledCoordinate) -> None:
    path = f"{model.name}/{follower.joint.name}.coordinates[{follower.number}].coupling"
    own = document.coordinates.get((model.name, follower.joint.name, follower.number))
    sources = {at: document.coordinates.get((model.name, at.joint, at.coordinate)) for at in follower.sources}
    text = formula_text(follower.formula.position)
    if own is None or any(source is None for source in sources.values()):
        detail = f"coupling {text}: MuJoCo couples hinges and slides that move"
        document.ledger.dropped(path, detail, location=follower.joint.origin)
        return
    found = {at: source for at, source in sources.items() if source is not None}
    form = affine_form(follower.formula.position)
    if form is not None and len(form.coefficients) <= 1:
        factors = [form.constant, *form.coefficients.values()]
        _add_polynomial(document, own, [found[at] for at in form.coefficients], factors)
        document.ledger.rewritten(path, "an equality of joints")
    elif form is not None:
        _add_sum(document, model, own, [(found[at], factor) for at, factor in form.coefficients.items()], form.constant)
        document.ledger.rewritten(path, "an equality of a tendon that adds joints")
    elif len(found) == 1:
        _add_fitted_polynomial(document, own, follower, next(iter(found.values())), path, text)
    else:
        detail = f"coupling {text}: MuJoCo has polynomials of one joint; the joint is independent"
        document.ledger.dropped(path, detail, location=follower.joint.origin)


def _add_polynomial(
    document: MjcfDocument, own: WrittenCoordinate, source: Sequence[WrittenCoordinate], factors: Sequence[float]
) -> None:
    attributes = {"name": document.names.take("equality", own.model.name, f"{own.name}_coupling"), "joint1": own.name}
    if source:
        attributes["joint2"] = source[0].name
    coefficients = [*factors, *[0.0] * (_DEGREE + 1 - len(factors))]
    document.equalities.append(element("joint", attributes | {"polycoef": numbers_text(coefficients)}))


def _add_sum(
    document: MjcfDocument,
    model: Model,
    own: WrittenCoordinate,
    terms: Sequence[tuple[WrittenCoordinate, float]],
    constant: float,
) -> None:
    name = document.names.take("tendon", model.name, f"{own.name}_coupling")
    tendon = element("fixed", {"name": name})
    tendon.children = [
        element("joint", {"joint": coordinate.name, "coef": numbers_text([factor])})
        for coordinate, factor in ((own, 1.0), *[(source, -factor) for source, factor in terms])
    ]
    document.tendons.append(tendon)
    document.equalities.append(
        element("tendon", {"name": name, "tendon1": name, "polycoef": numbers_text((constant, 0, 0, 0, 0))})
    )


def _add_fitted_polynomial(
    document: MjcfDocument, own: WrittenCoordinate, follower: CoupledCoordinate, source: WrittenCoordinate, path: str, text: str
) -> None:
    limits = source.coordinate.position_limits
    largest = math.pi if source.is_rotation else 1.0
    lower, upper = max(limits.lower, -largest), min(limits.upper, largest)
    at = np.linspace(lower, upper, _SAMPLES) if lower < upper else np.array([lower])
    position = JointPosition(joint=source.joint.name, coordinate=source.number)
    values = np.array([float(evaluate(follower.formula.position, {position: float(each)})) for each in at])
    if not np.isfinite(values).all():
        detail = f"coupling {text}: undefined in the range of '{source.name}'; the joint is independent"
        document.ledger.dropped(path, detail, location=follower.joint.origin)
        return
    fitted = np.polynomial.Polynomial.fit(at, values, min(_DEGREE, len(at) - 1)).convert()
    error = float(np.abs(fitted(at) - values).max())
    _add_polynomial(document, own, [source], fitted.coef.tolist())
    if error <= _EXACT:
        document.ledger.rewritten(path, f"{text} as a polynomial", error=error)
    else:
        detail = f"{text} as a polynomial of degree four from {lower:g} to {upper:g}"
        document.ledger.approximated(path, detail, error=error, location=follower.joint.origin)


# Loops


def cloned_bodies(model: Model, tree: Tree) -> frozenset[str]:
    """Return the bodies of which a clone closes a loop, so that each has half of the mass."""
    if model.static:
        return frozenset()
    return frozenset(loop.joint.child for loop in tree.loops if loop.bushing is None and not _is_equality(loop))


def with_shared_inertia(body: Body, count: int) -> Body:
    """Return a body with an equal share of its inertia, for itself and a number of clones."""
    share = 1.0 / (1 + count)
    inertial, moment = body.inertial, body.inertial.moment
    if moment is not None:
        moment = (scale(moment[0], share), scale(moment[1], share), scale(moment[2], share))
    return replace(body, inertial=replace(inertial, mass=share * inertial.mass, moment=moment))


def _is_equality(loop: Connection) -> bool:
    """Whether equality constraints of two bodies represent a joint that closes a loop."""
    joint = loop.joint
    if loop.motor is not None:
        return False
    is_passive = has_no_dynamics(joint) or not joint.degrees_of_freedom
    return joint.actuation is Actuation.LOCKED or (is_passive and isinstance(joint.type, Fixed | Spherical | Revolute))


def _soft(document: MjcfDocument) -> str:
    """Return how far equalities yield, as the end of a sentence.

    Under a load at rest it is about a tenth of that. In motion it is all of it: MuJoCo leaves the centripetal acceleration of a
    gap to the spring.
    """
    size = document.equality_time_constant**2
    return f"equalities of MuJoCo are soft: they yield in the order of {size:.2g} s² times the accelerations that they prevent"


def write_loops(document: MjcfDocument, model: Model, tree: Tree) -> None:
    """Add the joints of a model that close loops: as equalities, or as a clone of a body that is welded to it."""
    for loop in tree.loops:
        joint = loop.joint
        path = f"{model.name}/{joint.name}"
        if model.static or loop.bushing is not None:
            continue
        if not _is_equality(loop):
            _write_clone(document, model, loop)
            document.ledger.rewritten(
                path, f"a clone of the child, with a share of its mass, that is welded to it; {_soft(document)}"
            )
            continue
        ends = {"name": document.names.take("equality", model.name, joint.name)}
        ends |= _bodies(document, model, joint.child, joint.parent)
        if joint.actuation is Actuation.LOCKED:
            parent = locked_pose(model, joint).inverse()
            ends["relpose"] = numbers_text((*parent.position, *parent.wxyz))
            document.ledger.rewritten(f"{path}.actuation", "an equality of two bodies at its initial positions")
        if isinstance(joint.type, Fixed) or joint.actuation is Actuation.LOCKED:
            document.equalities.append(element("weld", ends))
            document.ledger.rewritten(path, f"it closes a loop: an equality of two bodies; {_soft(document)}")
            continue
        for number, point in enumerate(_loop_points(joint)):
            name = {"name": f"{ends['name']}_axis"} if number else {}
            document.equalities.append(element("connect", ends | name | {"anchor": numbers_text(point)}))
        document.ledger.rewritten(path, f"it closes a loop: points of two bodies are connected; {_soft(document)}")


def _loop_points(joint: Joint) -> list[Vector3]:
    """Return the points in the child's frame that the parent shares: of a ball its centre, of a hinge two on its axis."""
    center = joint.pose.position
    if not isinstance(joint.type, Revolute):
        return [center]
    return [center, add(center, scale(rotate(joint.pose.wxyz, joint.type.axis), _ARM))]


def _bodies(document: MjcfDocument, model: Model, first: str, second: str | None) -> dict[str, str]:
    ends = {"body1": document.names.body(model.name, first)}
    return ends if second is None else ends | {"body2": document.names.body(model.name, second)}


def _write_clone(document: MjcfDocument, model: Model, loop: Connection) -> None:
    joint = loop.joint
    body = model.bodies[joint.child]
    name = document.names.take("body", model.name, f"{body.name}_{joint.name}_clone")
    parent_pose = model.pose if joint.parent is None else model.bodies[joint.parent].pose
    pose = model.pose @ body.pose if joint.parent is None else parent_pose.inverse() @ body.pose
    for added in (name, f"{name}_joint"):
        document.ledger.rewritten(
            f"{model.name}/{added}", "a copy of a body, fixed to it by an equality constraint, closes the loop"
        )
    node = element("body", {"name": name, **document.pose_attributes(pose)})
    if not body.gravity:
        node.attributes["gravcomp"] = "1"
    bare = replace(body, visuals=(), collisions=())
    path = f"{model.name}/{body.name}"
    node.children = write_inertial(bare, path, document.context.meshes, document.ledger, needs_inertia=True)
    node.children += write_joints(document, model, TreeJoint(body=body, inboard=joint, connection=loop))
    outer = document.worldbody if joint.parent is None else document.body_nodes[model.name, joint.parent]
    outer.children.append(node)
    ends = {"body1": document.names.body(model.name, body.name), "body2": name}
    weld = {"name": document.names.take("equality", model.name, joint.name)} | ends
    document.equalities.append(element("weld", weld | {"relpose": "0 0 0 1 0 0 0"}))


# Constraints and grasps


def write_constraints(document: MjcfDocument, model: Model) -> None:
    """Add the massless rods of a model, as tendons of constant length; links with a hinge are dropped."""
    for constraint in model.constraints:
        path = f"{model.name}/{constraint.name}"
        if model.static:
            continue
        if not isinstance(constraint.type, Distance):
            detail = f"MuJoCo has no {kind_text(type(constraint.type))} constraint"
            document.ledger.dropped(path, detail, location=constraint.origin)
            continue
        tendon = add_spatial_tendon(
            document, model, constraint.name, (constraint.body1, constraint.point1), (constraint.body2, constraint.point2)
        )
        document.tendons.append(tendon)
        name = document.names.take("equality", model.name, constraint.name)
        document.equalities.append(element("tendon", {"name": name, "tendon1": tendon.attributes["name"]}))
        document.ledger.rewritten(path, f"a tendon of constant length; {_soft(document)}")


def add_spatial_tendon(
    document: MjcfDocument, model: Model, name: str, first: tuple[str | None, Vector3], second: tuple[str | None, Vector3]
) -> XmlNode:
    """Return a tendon between two points of bodies, given in the frames of the bodies; its sites are added."""
    tendon = element("spatial", {"name": document.names.take("tendon", model.name, name)})
    tendon.children = [
        element("site", {"site": document.add_site(model, body, f"{name}_{number}", Pose(point))})
        for number, (body, point) in enumerate((first, second), start=1)
    ]
    return tendon


def write_grasps(document: MjcfDocument) -> None:
    """Add grasps as welds of two bodies at their initial poses."""
    world = document.world
    for number, grasp in enumerate(world.grasps):
        path = f"grasps[{number}]"
        known = [end for end in (grasp.link, grasp.body) if (end.model, end.body) in document.body_nodes]
        if len(known) < 2:  # both ends
            document.ledger.dropped(path, "it refers to an unknown body")
            continue
        first, second = (model_poses(world.models[end.model])[end.body] for end in known)
        relative = first.inverse() @ second
        names = [document.names.body(end.model, end.body) for end in known]
        name = document.names.take("equality", grasp.link.model, f"{grasp.body.body}_grasp")
        ends = {"name": name, "body1": names[0], "body2": names[1]}
        document.equalities.append(element("weld", ends | {"relpose": numbers_text((*relative.position, *relative.wxyz))}))
        document.contacts.append(element("exclude", {"body1": names[0], "body2": names[1]}))
        for ignored in grasp.ignored_bodies:
            if (grasp.link.model, ignored) in document.body_nodes and ignored != grasp.link.body:
                other = document.names.body(grasp.link.model, ignored)
                document.contacts.append(element("exclude", {"body1": other, "body2": names[1]}))
        document.ledger.rewritten(f"{grasp.link.model}.ignored_pairs", "bodies of a grasp do not collide")
        document.ledger.rewritten("grasps", f"welds of two bodies; {_soft(document)}")
