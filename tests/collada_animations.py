"""A small robot that an animation moves, of which the parts can be replaced."""

from __future__ import annotations

from collada_documents import robot

SAMPLER = """
<library_animations><animation id="a" name="wave">
  <animation>
    <source id="t"><float_array id="ta" count="3">0 0.5 2</float_array><technique_common>
      <accessor source="#ta" count="3"><param name="TIME" type="float"/></accessor></technique_common></source>
    <source id="v"><float_array id="va" count="3">0 90 -45</float_array><technique_common>
      <accessor source="#va" count="3"><param name="ANGLE" type="float"/></accessor></technique_common></source>
    <source id="i"><Name_array id="ia" count="3">{kinds}</Name_array></source>
    {tangents}
    <sampler id="s" pre_behavior="CYCLE" post_behavior="OSCILLATE">
      <input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#v"/><input semantic="INTERPOLATION" source="#i"/>
      {inputs}
    </sampler>
    <channel source="#s" target="{target}"/>
  </animation>
</animation></library_animations>
"""
TANGENTS = """
<source id="in"><float_array id="ina" count="6">0 0 0.25 90 1.5 -45</float_array>
  <technique_common><accessor source="#ina" count="3" stride="2"/></technique_common></source>
<source id="out"><float_array id="outa" count="6">0.25 0 1 90 2.5 0</float_array>
  <technique_common><accessor source="#outa" count="3" stride="2"/></technique_common></source>
"""
CURVED = {
    "tangents": TANGENTS,
    "inputs": '<input semantic="IN_TANGENT" source="#in"/><input semantic="OUT_TANGENT" source="#out"/>',
}


def animated(target: str = "hand_node/turn.ANGLE", kinds: str = "LINEAR LINEAR LINEAR", **parts: str) -> str:
    parts = {"tangents": "", "inputs": ""} | parts
    return robot(libraries=SAMPLER.format(target=target, kinds=kinds, **parts))
