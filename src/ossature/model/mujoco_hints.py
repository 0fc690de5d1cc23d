"""Hints for MuJoCo: attributes of MJCF that no other format has, by their names in MJCF.

A field is None if the file leaves MuJoCo's default. Angles are in radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ossature.model.program_hints import Hint
from ossature.spatial import Quaternion

Numbers: TypeAlias = tuple[float, ...]
"""Numbers of an attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoOption(Hint):
    """The element ``<option>``, without ``timestep`` and ``gravity``, which a World has.

    Attributes:
        impratio: Ratio of frictional to normal impedance of elliptic cones.
        tolerance: Tolerance of the constraint solver.
        ls_tolerance: Tolerance of its line search.
        noslip_tolerance: Tolerance of the no-slip solver.
        ccd_tolerance: Tolerance of convex collision detection.
        sleep_tolerance: Velocity below which a tree may sleep.
        wind: Velocity of the medium [m/s].
        magnetic: Magnetic flux in the world frame.
        density: Density of the medium [kg/m³].
        viscosity: Viscosity of the medium [Pa·s].
        o_margin: Margin of all contacts, if ``override`` is enabled [m].
        o_solref: Solver reference of all contacts, likewise.
        o_solimp: Solver impedance of all contacts, likewise.
        o_friction: Friction of all contacts, likewise.
        integrator: ``Euler``, ``RK4``, ``implicit``, ``implicitfast`` or ``discrete``.
        cone: Type of friction cones, ``pyramidal`` or ``elliptic``.
        jacobian: ``dense``, ``sparse`` or ``auto``.
        solver: ``PGS``, ``CG`` or ``Newton``.
        iterations: Largest number of iterations of the solver.
        ls_iterations: Largest number of iterations of its line search.
        noslip_iterations: Largest number of iterations of the no-slip solver.
        ccd_iterations: Largest number of iterations of convex collision detection.
        sdf_iterations: Iterations of collision detection of signed distance fields.
        sdf_initpoints: Starting points of it.
        actuatorgroupdisable: Groups of actuators that are disabled.
        disabled: Flags that are disabled, of those that are enabled by default.
        enabled: Flags that are enabled, of those that are disabled by default.
    """

    impratio: float | None = None
    tolerance: float | None = None
    ls_tolerance: float | None = None
    noslip_tolerance: float | None = None
    ccd_tolerance: float | None = None
    sleep_tolerance: float | None = None
    wind: Numbers | None = None
    magnetic: Numbers | None = None
    density: float | None = None
    viscosity: float | None = None
    o_margin: float | None = None
    o_solref: Numbers | None = None
    o_solimp: Numbers | None = None
    o_friction: Numbers | None = None
    integrator: str | None = None
    cone: str | None = None
    jacobian: str | None = None
    solver: str | None = None
    iterations: int | None = None
    ls_iterations: int | None = None
    noslip_iterations: int | None = None
    ccd_iterations: int | None = None
    sdf_iterations: int | None = None
    sdf_initpoints: int | None = None
    actuatorgroupdisable: tuple[int, ...] | None = None
    disabled: tuple[str, ...] | None = None
    enabled: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoBody(Hint):
    """Attributes of ``<body>``.

    Attributes:
        sleep: Policy of sleeping: ``never``, ``allowed`` or ``init``.
        simple: Whether the body may be stored as a simple one: ``false`` if not.
        user: Numbers of the user.
        principal_axes: Orientation of the principal axes in the body frame, if sensors measure their frame.
    """

    sleep: str | None = None
    simple: str | None = None
    user: Numbers | None = None
    principal_axes: Quaternion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoJoint(Hint):
    """Attributes of ``<joint>``, on the first of its coordinates.

    Attributes:
        ref: Position of the joint at which the body has the pose that the file states [rad or m].
        solreflimit: Solver reference of the limits.
        solimplimit: Solver impedance of the limits.
        solreffriction: Solver reference of dry friction.
        solimpfriction: Solver impedance of dry friction.
        margin: Distance from a limit at which it acts [rad or m].
        stiffness: Coefficients of the spring's polynomial after the linear one.
        damping: Coefficients of the damper's polynomial after the linear one.
        actuatorgravcomp: Whether gravity compensation is an actuator force.
        group: Group of the viewer.
        user: Numbers of the user.
    """

    ref: float | None = None
    solreflimit: Numbers | None = None
    solimplimit: Numbers | None = None
    solreffriction: Numbers | None = None
    solimpfriction: Numbers | None = None
    margin: float | None = None
    stiffness: Numbers | None = None
    damping: Numbers | None = None
    actuatorgravcomp: bool | None = None
    group: int | None = None
    user: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoGeom(Hint):
    """Attributes of ``<geom>``, on its collision shape, or on its visual shape if it does not collide.

    A visual and a collision shape with the same name, pose and geometry are one geom.

    Attributes:
        contype: Bits of its contact type.
        conaffinity: Bits of the contact types with which it collides.
        condim: Dimension of its contacts: 1, 3, 4 or 6.
        priority: The geom with the higher priority determines the parameters of a contact.
        solmix: Weight of its solver parameters in those of a contact.
        solref: Solver reference of its contacts.
        solimp: Solver impedance of its contacts.
        gap: Part of the margin in which a contact has no force [m].
        surfacevel: Velocity of its surface, linear and angular.
        adhesion: Adhesion of its contacts.
        group: Group of the viewer.
        rgba: Colour of a collision shape that is not displayed.
        appearance: Name of the appearance of a collision shape that is not displayed.
        fluidshape: ``ellipsoid`` for the ellipsoidal fluid model.
        fluidcoef: Coefficients of that model.
        maxhullvert: Largest number of vertices of the convex hull of a mesh.
        size: Half lengths of a displayed plane along x and y, and the spacing of its grid [m].
        plugin: Element of its plugin.
        user: Numbers of the user.
    """

    contype: int | None = None
    conaffinity: int | None = None
    condim: int | None = None
    priority: int | None = None
    solmix: float | None = None
    solref: Numbers | None = None
    solimp: Numbers | None = None
    gap: float | None = None
    surfacevel: Numbers | None = None
    adhesion: float | None = None
    group: int | None = None
    rgba: Numbers | None = None
    appearance: str | None = None
    fluidshape: Literal["none", "ellipsoid"] | None = None
    fluidcoef: Numbers | None = None
    maxhullvert: int | None = None
    size: Numbers | None = None
    plugin: str | None = None
    user: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoSite(Hint):
    """Attributes of ``<site>``.

    Attributes:
        group: Group of the viewer.
        user: Numbers of the user.
    """

    group: int | None = None
    user: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoConstraint(Hint):
    """Solver parameters of an equality or a contact pair.

    Attributes:
        solref: Solver reference.
        solimp: Solver impedance.
        solreffriction: Solver reference of the friction of a contact pair.
        friction: The five coefficients of friction of a contact pair.
        condim: Dimension of the contacts of a pair.
        gap: Part of the margin of a pair in which a contact has no force [m].
        adhesion: Adhesion of the contacts of a pair.
    """

    solref: Numbers | None = None
    solimp: Numbers | None = None
    solreffriction: Numbers | None = None
    friction: Numbers | None = None
    condim: int | None = None
    gap: float | None = None
    adhesion: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoTendon(Hint):
    """Attributes of ``<spatial>`` and ``<fixed>``.

    Attributes:
        solreflimit: Solver reference of the limits.
        solimplimit: Solver impedance of the limits.
        solreffriction: Solver reference of dry friction.
        solimpfriction: Solver impedance of dry friction.
        margin: Distance from a limit at which it acts [m].
        stiffness: Coefficients of the spring's polynomial after the linear one.
        damping: Coefficients of the damper's polynomial after the linear one.
        group: Group of the viewer.
        user: Numbers of the user.
    """

    solreflimit: Numbers | None = None
    solimplimit: Numbers | None = None
    solreffriction: Numbers | None = None
    solimpfriction: Numbers | None = None
    margin: float | None = None
    stiffness: Numbers | None = None
    damping: Numbers | None = None
    group: int | None = None
    user: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoActuator(Hint):
    """Attributes of actuators.

    Attributes:
        actdim: Number of its activation variables.
        actearly: Whether the activation of the next time step is used.
        input: Which inputs it has, or how its orientation is represented.
        velrange: Range of a velocity setpoint.
        ffrange: Range of a feed-forward input.
        damping: Coefficients of the damper's polynomial after the linear one.
        nsample: Number of samples of its history.
        interp: Interpolation of the history: ``zoh``, ``linear`` or ``cubic``.
        delay: Delay of the control [s].
        group: Group of the viewer, and for disabling.
        plugin: Element of its plugin.
        user: Numbers of the user.
    """

    actdim: int | None = None
    actearly: bool | None = None
    input: str | None = None
    velrange: Numbers | None = None
    ffrange: Numbers | None = None
    damping: Numbers | None = None
    nsample: int | None = None
    interp: str | None = None
    delay: float | None = None
    group: int | None = None
    plugin: str | None = None
    user: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoSensor(Hint):
    """Attributes of sensors.

    Attributes:
        nsample: Number of samples of its history.
        interp: Interpolation of the history: ``zoh``, ``linear`` or ``cubic``.
        delay: Delay of the reading [s].
        interval: Period and phase of the readings [s].
        dim: Dimension of a user sensor, or number of contacts of a contact sensor.
        data: What a contact or range sensor measures, in order.
        reduce: How a contact sensor selects contacts.
        datatype: Type of a user sensor's data.
        needstage: Stage of the computation that a user sensor needs.
        mesh: Mesh with the points of a tactile sensor.
        plugin: Element of its plugin.
        user: Numbers of the user.
    """

    nsample: int | None = None
    interp: str | None = None
    delay: float | None = None
    interval: Numbers | None = None
    dim: int | None = None
    data: tuple[str, ...] | None = None
    reduce: str | None = None
    datatype: str | None = None
    needstage: str | None = None
    mesh: str | None = None
    plugin: str | None = None
    user: Numbers | None = None
