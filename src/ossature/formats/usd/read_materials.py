"""Materials: contact properties of UsdPhysics and Newton, and preview surfaces."""

from __future__ import annotations

from ossature.formats.usd import rules
from ossature.formats.usd.read_shapes import display_color
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import Appearance, Material, Rgba
from ossature.model.unique_names import take_unique_name


class MaterialReader:
    """Reads the materials of a stage, each once.

    Attributes:
        appearances: The appearances to which shapes refer, by the path of their material.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._contacts: dict[str, Material | None] = {}
        self._names: set[str] = set()
        self.appearances: dict[str, Appearance] = {}
        self._partial: dict[str, None] = {}

    def contact_material(self, prim: Prim) -> Material | None:
        """Return the contact properties of a collider, or None if no material with some is bound to it."""
        found = self._bound(prim, "physics_material")
        if found is None:
            return None
        if found.path not in self._contacts:
            self._contacts[found.path] = self._contact(found)
        return self._contacts[found.path]

    def density(self, prim: Prim) -> float | None:
        """Return the density of the material of a collider, or None if it states none [kg/m³]."""
        found = self._bound(prim, "physics_material")
        value = 0.0 if found is None else found.finite("physics:density", 0.0)
        return value * self._stage.mass / self._stage.length**3 if value > 0.0 else None

    def _bound(self, prim: Prim, purpose: str) -> Prim | None:
        path = prim.facts.get(purpose)
        return self._stage.prims.get(path) if path is not None else None

    def _contact(self, prim: Prim) -> Material | None:
        if not prim.has("PhysicsMaterialAPI"):
            return None
        sliding, sticking = (prim.finite(f"physics:{kind}Friction", 0.0) for kind in ("dynamic", "static"))
        if sliding != sticking:
            message = f"the static friction {sticking:g} of {prim.path} is not read: the dynamic friction {sliding:g} applies"
            self._stage.add(rules.UNREAD_ATTRIBUTE, message)
        torsional, rolling = self._coefficient(prim, "torsional"), self._coefficient(prim, "rolling")
        return Material(
            name=prim.name,
            friction=sliding,
            restitution=prim.finite("physics:restitution", 0.0),
            torsional_friction=torsional,
            rolling_friction=rolling,
        )

    def _coefficient(self, prim: Prim, kind: str) -> float | None:
        for name in (f"newton:{kind}Friction", f"mjc:{kind}friction"):
            if name in prim.attributes:
                return prim.finite(name, 0.0) * self._stage.length
        return None

    def color_and_appearance(self, prim: Prim) -> tuple[Rgba | None, str | None]:
        """Return the colour of a shape, and the name of the appearance of its material, if it has one."""
        found = self._bound(prim, "material")
        surface = None if found is None else found.facts.get("surface")
        if found is None or surface is None:
            color = display_color(prim)
            if found is not None and not found.has("PhysicsMaterialAPI"):
                self._partial[f"the material {found.path} is no preview surface"] = None
            if color is None and prim.array("primvars:displayColor") is not None:
                self._partial[f"{prim.path} has several colours"] = None
            return color, None
        if found.path not in self.appearances:
            self.appearances[found.path] = self._appearance(found)
        appearance = self.appearances[found.path]
        return appearance.color, appearance.name

    def _appearance(self, prim: Prim) -> Appearance:
        surface = prim.facts["surface"]
        if surface["textures"]:
            self._partial[f"{', '.join(surface['textures'])} of the material {prim.path} has a texture"] = None
        red, green, blue = (_unit(value) for value in _color(surface.get("diffuseColor")))
        opacity = surface.get("opacity")
        return Appearance(
            name=take_unique_name(prim.name, self._names),
            color=(red, green, blue, _unit(opacity) if isinstance(opacity, float) else 1.0),
            metallic=_optional(surface.get("metallic")),
            roughness=_optional(surface.get("roughness")),
        )

    def report_partial(self) -> None:
        """Report appearances that are read in part."""
        found = list(self._partial)
        if found:
            message = found[0] + (f", and {len(found) - 1} others" if len(found) > 1 else "")
            self._stage.add(rules.UNREPRESENTED_APPEARANCE, message)


def _color(value: object) -> tuple[float, float, float]:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, int | float) for part in value):
        return value[0], value[1], value[2]
    return 0.18, 0.18, 0.18  # the default of a preview surface


def _unit(value: float) -> float:
    return min(max(float(value), 0.0), 1.0) if value == value else 0.0  # not a number


def _optional(value: object) -> float | None:
    return _unit(value) if isinstance(value, float) else None
