"""Samples of recordings as text, written straight from their numbers: there may be a thousand in a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ossature.formats.usdf.schema import PREFIX
from ossature.formats.usdf.write import exact_rotation, sample_node
from ossature.model import JointState, LinkState, ModelState, State
from ossature.spatial import Pose
from ossature.syntax import xml
from ossature.syntax.values import format_number


def sample_text(state: State) -> str:
    """Return the text of a sample of a recording: what :func:`ossature.formats.usdf.write.sample_node` says."""
    if len(state.frames) or state.time is None:
        return xml.fragment(sample_node(state))
    inner = [line for model in state.models for line in _model(model)]
    lines = _element(f'{PREFIX}:sample time="{format_number(state.time)}"', "  ", inner)
    return "\n".join([*lines, ""])


def _element(opening: str, indent: str, inner: list[str]) -> list[str]:
    """Return an element of which the name and attributes are given, with lines inside."""
    if not inner:
        return [f"{indent}<{opening}/>"]
    return [f"{indent}<{opening}>", *inner, f"{indent}</{opening.partition(' ')[0]}>"]


def _model(model: ModelState) -> list[str]:
    inner = []
    if model.parent is not None:
        inner.append(f"      <parent>{xml.escaped(model.parent)}</parent>")
    if model.pose is not None:
        inner.append(f"      {_pose(model.pose)}")
    if model.twist is not None:
        inner.append(f"      <twist>{_numbers((*model.twist.linear, *model.twist.angular))}</twist>")
    for link in model.links:
        inner += _element(f"link_state name={_quoted(link.name)}", "      ", list(_link(link)))
    for joint in model.joints:
        inner += _element(f"joint_state name={_quoted(joint.name)}", "      ", list(_joint(joint)))
    return _element(f"model_state name={_quoted(model.name)}", "    ", inner)


def _link(link: LinkState) -> Iterator[str]:
    if link.pose is not None:
        yield f"        {_pose(link.pose)}"
    if link.twist is not None:
        yield f"        <twist>{_numbers((*link.twist.linear, *link.twist.angular))}</twist>"
    if link.wrench is not None:
        yield f"        <wrench>{_numbers((*link.wrench.force, *link.wrench.torque))}</wrench>"


def _joint(joint: JointState) -> Iterator[str]:
    for tag, values in (("positions", joint.positions), ("velocities", joint.velocities), ("torques", joint.efforts)):
        if values:
            yield f"        <{tag}>{_numbers(values)}</{tag}>"
        elif values is not None:
            yield f"        <{tag}/>"


def _pose(pose: Pose) -> str:
    yaw, pitch, roll = pose.euler("zyx")
    exact = exact_rotation(pose, (yaw, pitch, roll))
    attribute = "" if exact is None else f' {PREFIX}:wxyz="{_numbers(exact)}"'
    return f"<pose{attribute}>{_numbers((*pose.position, roll, pitch, yaw))}</pose>"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(map(format_number, values))


@lru_cache(maxsize=10_000)
def _quoted(name: str) -> str:
    return xml.quoted(name)
