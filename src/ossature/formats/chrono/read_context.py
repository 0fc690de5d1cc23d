"""Context of the reader: bodies read so far, units of angles, axes and points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ossature.diagnostics import Location, Related, Report
from ossature.diagnostics.counted_nouns import counted
from ossature.formats.chrono import rules
from ossature.model import Body
from ossature.spatial import (
    IDENTITY_WXYZ,
    ZERO3,
    Pose,
    Quaternion,
    Vector3,
    conjugate,
    norm,
    normalized,
    quaternion_from_euler,
    rotate,
    unit,
)
from ossature.syntax import rules as syntax_rules
from ossature.syntax import yaml_fixes
from ossature.syntax.schema import Element, spellings

_ROUNDING = 1e-6
_SMALLEST = 1e-12


@dataclass(slots=True)
class ChronoReadContext:
    """A model being read.

    Attributes:
        degrees: Whether angles are in degrees.
        data_folder: Folder to which names of mesh files are relative, or None if unknown.
        bodies: The bodies read so far.
        model: The model's name, for paths in findings.
        com_wxyz: Orientation of each body's centre-of-mass frame in the body frame, if it is not the identity.
        ambiguous_angles: Orientations that would differ in the order of angles of Chrono's documentation.
        ambiguous_products: Products of inertia that would differ in the order of Chrono's documentation.
        rotated_vectors: Vectors in local axes of bodies whose centre-of-mass frame is rotated.
    """

    report: Report
    degrees: bool
    data_folder: Path | None
    model: str
    bodies: dict[str, Body] = field(default_factory=dict)
    com_wxyz: dict[str, Quaternion] = field(default_factory=dict)
    ambiguous_angles: list[Location | None] = field(default_factory=list)
    ambiguous_products: list[Location | None] = field(default_factory=list)
    rotated_vectors: list[Location | None] = field(default_factory=list)

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return math.radians(value) if self.degrees else value

    def quaternion(self, element: Any, name: str = "orientation") -> Quaternion:
        """Return the orientation of a field: three angles about z, y and x, or a quaternion."""
        values: tuple[float, ...] | None = getattr(element, name)
        if values is None:
            return IDENTITY_WXYZ
        if len(values) == 3:
            about_z, about_y, about_x = map(self.angle, values)
            rotation = quaternion_from_euler((about_z, about_y, about_x), "zyx")
            # As roll, pitch and yaw the first angle would be about x and the third about z.
            if rotation != quaternion_from_euler((about_x, about_y, about_z), "zyx"):
                self.ambiguous_angles.append(element.location(name))
            return rotation
        wxyz = (values[0], values[1], values[2], values[3])
        length = math.hypot(*wxyz)
        if length < _SMALLEST:
            self.report.add(rules.ZERO_QUATERNION, f"'{name}' is a quaternion of length zero", element.location(name))
            return IDENTITY_WXYZ
        if abs(length - 1.0) > _ROUNDING:
            message = f"'{name}' is a quaternion of length {length:.9g}"
            specified = element.node.entries.get(spellings(type(element))[name].name)
            fix = (
                partial(yaml_fixes.replace_numbers, specified, normalized(wxyz), keeps_model=True)
                if specified is not None
                else None
            )
            self.report.add(rules.QUATERNION_NORMALISED, message, element.location(name), fix=fix)
        return normalized(wxyz)

    def report_ambiguous(self) -> None:
        """Report once each what is read as in Chrono, and could be meant otherwise."""
        count, locations = len(self.ambiguous_angles), self.ambiguous_angles
        if count:
            message = (
                f"the angles of {counted(count, 'orientation')} are rotations about z, y and x in this order, as in Chrono"
            )
            self.report.add(rules.ORIENTATION_ABOUT_Z_Y_X, message, locations[0], hint="write quaternions [e0, e1, e2, e3]")
        count, locations = len(self.ambiguous_products), self.ambiguous_products
        if count:
            message = f"the products of inertia of {counted(count, 'body')} are read as [Ixy, Ixz, Iyz], as in Chrono"
            self.report.add(rules.PRODUCTS_OF_INERTIA_XY_XZ_YZ, message, locations[0])
        if self.rotated_vectors:
            vectors = counted(len(self.rotated_vectors), "vector")
            message = f"the local axes of {vectors} are those of rotated centre-of-mass frames, as in Chrono"
            self.report.add(rules.CENTER_OF_MASS_AXES, message, self.rotated_vectors[0])

    def frame(self, body: str) -> Pose:
        """Return the pose of a body."""
        return self.bodies[body].pose

    def point_in(self, body: str, point: Vector3) -> Vector3:
        """Return a global point in a body's frame."""
        return self.frame(body).inverse().transform(point)

    def vector_in(self, body: str, vector: Vector3) -> Vector3:
        """Return a global vector in a body's axes."""
        return rotate(conjugate(self.frame(body).wxyz), vector)

    def local_vector(self, body: str, vector: Vector3, location: Location | None) -> Vector3:
        """Return in body axes a vector that a file states in local axes, which are those of the centre-of-mass frame."""
        wxyz_com = self.com_wxyz.get(body)
        if wxyz_com is None or vector == ZERO3:
            return vector
        self.rotated_vectors.append(location)
        return rotate(wxyz_com, vector)

    def axis(self, element: Any, name: str) -> Vector3 | None:
        """Return the unit vector along an axis, or None with a finding if it is missing or zero."""
        vector: Vector3 | None = getattr(element, name)
        if vector is None:
            if not self.states(element, name):
                self.missing(element, name, f"required for the type {element.type}")
            return None
        if norm(vector) < _SMALLEST:
            owner = getattr(element, "name", None)  # shapes have none
            what = f"'{name}' of '{owner}'" if owner else f"'{name}'"
            self.report.add(rules.ZERO_AXIS, f"{what} is zero", element.location(name))
            return None
        return unit(vector)

    def missing(self, element: Element, name: str, hint: str) -> None:
        """Report a missing field that only this type of element requires."""
        spelled = spellings(type(element))[name].name
        owner = f"'{getattr(element, 'name', None)}'"
        self.report.add(syntax_rules.MISSING_KEY, f"{owner} has no '{spelled}'", element.location(), hint=hint)

    def states(self, element: Element, name: str) -> bool:
        """Whether the file states a field, even if it is unreadable."""
        spelling = spellings(type(element))[name]
        node = element.node
        return node is not None and node.field_location(spelling.name or name, *spelling.aliases) is not None

    def require_fields(self, element: Any, *names: str) -> bool:
        """Return whether all fields are valid; report those that are missing."""
        complete = True
        for name in names:
            if getattr(element, name) is None:
                complete = False
                if not self.states(element, name):
                    self.missing(element, name, spellings(type(element))[name].doc)
        return complete

    def not_negative(self, element: Any, *names: str) -> None:
        """Report negative values of fields."""
        for name in names:
            value = getattr(element, name)
            if value is not None and min(value if isinstance(value, tuple) else (value,)) < 0.0:
                spelled = spellings(type(element))[name].name
                self.report.add(rules.VALUE_OUT_OF_RANGE, f"'{spelled}' is negative", element.location(name))

    def report_unused(self, element: Any, *names: str) -> None:
        """Report fields that are not used for this type of element."""
        for name in names:
            if getattr(element, name) is not None:
                message = f"'{name}' is not used for the type {element.type}"
                self.report.add(rules.UNUSED_KEY, message, element.location(name))

    def connects(self, element: Any) -> bool:
        """Return whether an element names two different bodies that exist; report otherwise."""
        if element.body1 is None or element.body2 is None:
            return False
        known = all(self.knows(element, name) for name in ("body1", "body2"))
        if known and element.body1 == element.body2:
            message = f"'{element.name}' connects '{element.body1}' to itself; it is ignored"
            self.report.add(rules.SAME_BODY, message, element.location("body2"))
            return False
        return known

    def knows(self, element: Any, name: str) -> bool:
        """Return whether the body exists that a field names; report otherwise."""
        body = getattr(element, name)
        if body is None or body in self.bodies:
            return body is not None
        self.report.add(
            rules.UNKNOWN_BODY,
            f"'{element.name}' refers to the unknown body '{body}'; it is ignored",
            element.location(name),
            hint=self.report.suggestion(body, self.bodies),
        )
        return False

    def unique(self, elements: Iterable[Any]) -> list[Any]:
        """Return the elements with a name, each name once; report duplicates."""
        first: dict[str, Any] = {}
        for element in elements:
            if element.name is None:
                continue
            if element.name in first:
                self.report.add(
                    rules.DUPLICATE_NAME,
                    f"duplicate name '{element.name}'; the element is ignored",
                    element.location("name"),
                    hint="use a unique name",
                    related=(Related(location=first[element.name].location("name"), message="the first one"),),
                )
            else:
                first[element.name] = element
        return list(first.values())
