"""Writer of materials: how surfaces are drawn, and their contact properties."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.single_precision import SinglePrecision
from ossature.formats.usd.usda_text import UsdPrim
from ossature.model import Appearance, Material, Model, Visual
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import value_text

UNSPECIFIED_FRICTION = 1.0
"""Coefficient of sliding friction of a material that specifies others but not this one, as in MuJoCo and SDFormat."""


class MaterialWriter:
    """Writes the materials of a model, each once.

    Args:
        model: The model.
        scope: The prim that contains the materials.
        labels: Names of appearances in the file, to which those of the model are added.
        ledger: Receives what is not written.
    """

    def __init__(self, model: Model, scope: UsdPrim, labels: set[str], ledger: Ledger) -> None:
        self._model, self._scope, self._labels, self._ledger = model, scope, labels, ledger
        self._names = PrimNames(ledger)
        self._single = SinglePrecision(ledger)
        self._contacts: dict[Material, UsdPrim] = {}
        self._appearances: dict[str, UsdPrim] = {}

    # Contacts

    def bind_contact(self, prim: UsdPrim, material: Material | None, path: str) -> None:
        """Bind contact properties to a shape that collides."""
        if material is None:
            return
        specified = (material.friction, material.restitution, material.torsional_friction, material.rolling_friction)
        if all(value is None for value in specified):
            self._ledger.rewritten(path, "it has no property that OpenUSD represents")
            return
        self._record_contact(material, path)
        written = replace(material, friction=UNSPECIFIED_FRICTION) if material.friction is None else material
        if written not in self._contacts:
            self._contacts[written] = self._contact(written, path)
        self._bind(prim, "material:binding:physics", self._contacts[written])
        shown = self._contacts[written].label or self._contacts[written].name
        if shown != material.name:
            self._ledger.rewritten(f"{path}.name", "a material of OpenUSD has a name", after=shown)

    def _record_contact(self, material: Material, path: str) -> None:
        if material.friction is None:
            detail = f"OpenUSD has no unspecified friction: {UNSPECIFIED_FRICTION:g} is written"
            self._ledger.approximated(f"{path}.friction", detail)
        if material.restitution is None:
            self._ledger.rewritten(f"{path}.restitution", "an unspecified restitution is zero in OpenUSD")
        for field, value in (
            ("torsional_friction", material.torsional_friction),
            ("rolling_friction", material.rolling_friction),
        ):
            if value is not None:
                self._single.number(value, f"{path}.{field}")
        for field, value in (("friction", material.friction), ("restitution", material.restitution)):
            if value is not None:
                self._single.number(value, f"{path}.{field}")

    def _contact(self, material: Material, path: str) -> UsdPrim:
        label = material.name or "contact"
        name, shown = self._names.take(label, "contact")
        prim = self._scope.child("Material", name, shown)
        prim.apply("PhysicsMaterialAPI")
        for kind in ("dynamic", "static"):
            prim.add("float", f"physics:{kind}Friction", self._single.number(material.friction or 0.0, f"{path}.friction"))
        if material.restitution is not None:
            prim.add("float", "physics:restitution", self._single.number(material.restitution, f"{path}.restitution"))
        for kind in ("torsional", "rolling"):
            value = getattr(material, f"{kind}_friction")
            if value is not None:
                prim.apply("NewtonMaterialAPI")
                prim.add("float", f"newton:{kind}Friction", self._single.number(value, f"{path}.{kind}_friction"))
        return prim

    # Appearances

    def bind_appearance(self, prim: UsdPrim, visual: Visual, path: str) -> None:
        """State the colour of a visual shape, or bind its appearance."""
        appearance = None if visual.appearance is None else self._model.appearances.get(visual.appearance)
        if appearance is None:
            if visual.appearance is not None:
                self._ledger.dropped(f"{path}.appearance", "there is no such appearance", before=visual.appearance)
            if visual.color is not None:
                *color, opacity = self._single.numbers(visual.color, f"{path}.color")
                prim.add("color3f[]", "primvars:displayColor", f"[({', '.join(color)})]")
                if visual.color[3] != 1.0:
                    prim.add("float[]", "primvars:displayOpacity", f"[{opacity}]")
            return
        if visual.color != appearance.color:
            before = None if visual.color is None else value_text(visual.color)
            self._ledger.approximated(f"{path}.color", "that of its appearance is written", before=before)
        if appearance.name not in self._appearances:
            self._appearances[appearance.name] = self._appearance(appearance)
        self._bind(prim, "material:binding", self._appearances[appearance.name])

    def _appearance(self, appearance: Appearance) -> UsdPrim:
        path = f"{self._model.name}/{appearance.name}"
        label = take_unique_name(appearance.name, self._labels)
        if label != appearance.name:
            self._ledger.rewritten(f"{path}.name", "materials of a stage have different names", after=label)
        name, shown = self._names.take(label, "appearance", path)
        prim = self._scope.child("Material", name, shown)
        shader = prim.child("Shader", "surface")
        prim.properties.append(f"token outputs:surface.connect = <{shader.path}.outputs:surface>")
        shader.add("uniform token", "info:id", '"UsdPreviewSurface"')
        *color, opacity = self._single.numbers(appearance.color, f"{path}.color")
        shader.add("color3f", "inputs:diffuseColor", f"({', '.join(color)})")
        if appearance.metallic is not None:
            shader.add("float", "inputs:metallic", self._single.number(appearance.metallic, f"{path}.metallic"))
        if appearance.color[3] != 1.0:
            shader.add("float", "inputs:opacity", opacity)
        if appearance.roughness is not None:
            shader.add("float", "inputs:roughness", self._single.number(appearance.roughness, f"{path}.roughness"))
        shader.properties.append("token outputs:surface")
        return prim

    def record_order(self) -> None:
        """Record the appearances that no visual shape has, and whether the order of the others is another one."""
        used = [one.name for one in self._model.appearances if one.name in self._appearances]
        if used != list(self._appearances):
            self._ledger.rewritten(f"{self._model.name}.appearances (order)", "in the order of the shapes that have them")
        for appearance in self._model.appearances:
            if appearance.name not in self._appearances:
                self._ledger.dropped(f"{self._model.name}/{appearance.name}", "no visual shape has this appearance")

    @staticmethod
    def _bind(prim: UsdPrim, name: str, material: UsdPrim) -> None:
        prim.apply("MaterialBindingAPI")
        prim.relate(name, [material.path])
