"""Geometry of COLLADA in closed form: transforms, units, layouts of points, groups of faces, hulls, colours, masses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from collada_documents import BODY, DEFAULTS, FACES, OUTWARD, TETRAHEDRON, geometry, read, robot, shown, technique
from ossature.assets import AssetError
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_collada, read_openrave
from ossature.model import Body, Box, Capsule, Collision, Cylinder, Inertial, Material, Sphere, TriangleMesh, Visual
from ossature.spatial import Pose, quaternion_from_axis_angle

POINTS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
QUARTER = math.pi / 2.0


def base(text: str, report: Report | None = None) -> Body:
    return read(text, report).models["arm"].bodies["base"]


def corners(shape: Visual | Collision) -> np.ndarray:
    """Return the corners of the triangles of a shape, in the body frame: triangle, corner, coordinate."""
    assert isinstance(shape.geometry, TriangleMesh)
    triangles = shape.geometry.surface.triangles
    matrix = shape.pose.matrix()
    return triangles.vertices[triangles.faces] @ matrix[:3, :3].T + matrix[:3, 3]


# Transforms


def translation(x: float, y: float, z: float) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3] = (x, y, z)
    return result


def rotation(axis: tuple[float, float, float], degrees: float) -> np.ndarray:
    """Return a turn by Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = math.radians(degrees)
    result = np.eye(4)
    result[:3, :3] = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return result


def looking(eye: np.ndarray, target: np.ndarray, upwards: np.ndarray) -> np.ndarray:
    """Return the frame at a place whose minus z points at a target and whose y lies in the plane of the upward direction."""
    z = (eye - target) / np.linalg.norm(eye - target)
    y = upwards - z * (upwards @ z)
    y /= np.linalg.norm(y)
    result = translation(*eye)
    result[:3, :3] = np.stack([np.cross(y, z), y, z], axis=1)
    return result


def sheared(angle: float) -> np.ndarray:
    """Return a shear that moves points along x, the more the larger their y."""
    result = np.eye(4)
    result[0, 1] = math.tan(math.radians(angle))
    return result


TRANSFORMS = {
    "<translate>1 -2 0.5</translate>": translation(1.0, -2.0, 0.5),
    "<rotate>1 2 -1 70</rotate>": rotation((1.0, 2.0, -1.0), 70.0),
    "<rotate>0 0 3 -100</rotate>": rotation((0.0, 0.0, 1.0), -100.0),
    "<matrix>0 -1 0 4  1 0 0 5  0 0 1 6  0 0 0 1</matrix>": translation(4.0, 5.0, 6.0) @ rotation((0.0, 0.0, 1.0), 90.0),
    "<matrix>2 0.5 0 1  0 1 0.25 0  0 0 3 0  0 0 0 1</matrix>": np.array(
        [[2.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.25, 0.0], [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    ),
    "<scale>2 0.5 3</scale>": np.diag([2.0, 0.5, 3.0, 1.0]),
    "<scale>1 -1 1</scale>": np.diag([1.0, -1.0, 1.0, 1.0]),
    "<lookat>1 2 3  4 0 1  0 0 1</lookat>": looking(np.array([1.0, 2, 3]), np.array([4.0, 0, 1]), np.array([0.0, 0, 1])),
    "<lookat>0 0 5  0 0 0  0 2 1</lookat>": looking(np.array([0.0, 0, 5]), np.zeros(3), np.array([0.0, 2, 1])),
    "<skew>45 0 1 0 1 0 0</skew>": sheared(45.0),
    "<skew>30 0 2 0 3 0 0</skew>": sheared(30.0),
    "<skew>-20 0 1 0 1 0 0</skew>": sheared(-20.0),
}


@pytest.mark.parametrize("text", TRANSFORMS)
def test_transform(text: str) -> None:
    (visual,) = base(robot(geometries=geometry("g"), base_node=f"<node>{text}{shown('g')}</node>")).visuals
    expected = POINTS @ TRANSFORMS[text][:3, :3].T + TRANSFORMS[text][:3, 3]
    found = {tuple(point) for point in np.round(corners(visual).reshape(-1, 3), 12) + 0.0}
    assert found == {tuple(point) for point in np.round(expected, 12) + 0.0}


def test_transforms_are_applied_from_the_last_to_the_first() -> None:
    texts = list(TRANSFORMS)
    nested = f"<node>{''.join(texts[:5])}<node>{''.join(texts[5:])}{shown('g')}</node></node>"
    (visual,) = base(robot(geometries=geometry("g"), base_node=nested)).visuals
    product = np.linalg.multi_dot([TRANSFORMS[text] for text in texts])
    expected = POINTS @ product[:3, :3].T + product[:3, 3]
    order = np.array(OUTWARD.split(), int).reshape(-1, 3)
    order = order[:, ::-1] if np.linalg.det(product[:3, :3]) < 0.0 else order
    assert np.allclose(corners(visual), expected[order], rtol=1e-12, atol=1e-12)


def test_a_mirrored_mesh_keeps_its_outside() -> None:
    (visual,) = base(robot(geometries=geometry("g"), base_node=f"<node><scale>1 -1 1</scale>{shown('g')}</node>")).visuals
    a, b, c = np.moveaxis(corners(visual), 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(1.0 / 6.0)


# Units


def test_lengths_are_in_the_documents_unit() -> None:
    millimetres = DEFAULTS["asset"].replace("<up_axis>", '<unit name="millimetre" meter="0.001"/><up_axis>')
    slide = '<prismatic sid="axis0"><axis>1 0 0</axis><limits><min>-100</min><max>250</max></limits></prismatic>'
    text = robot(
        asset=millimetres,
        joint=slide,
        value="<float>200</float>",
        attachment="<translate>0 0 700</translate>",
        motion_info="<speed><float>50</float></speed>",
        hand_body=BODY.replace("0 0 0", "0 0 800"),
        base_node=shown("g"),
        geometries=geometry("g"),
    ).replace("0 0 1</translate>", "0 0 700</translate>")
    world = read(text)
    base_body, hand = world.models["arm"].bodies
    (coordinate,) = world.models["arm"].joints["elbow"].coordinates
    assert hand.pose.position == pytest.approx((0.0, 0.0, 0.7))
    assert (coordinate.position_limits.lower, coordinate.position_limits.upper) == (-0.1, 0.25)
    assert (coordinate.velocity_limits.upper, coordinate.initial_position) == (0.05, 0.2)
    assert hand.inertial.center_of_mass == pytest.approx((0.0, 0.0, 0.1))
    assert corners(base_body.visuals[0]).max() == 0.001
    assert world.gravity == (0.0, 0.0, -9.81)


INCH = "<asset><created/><modified/><unit name='inch' meter='0.0254'/></asset>"


def test_the_nearest_unit_counts() -> None:
    plain, inches = geometry("plain"), geometry("inches").replace("<mesh>", f"{INCH}<mesh>")
    nodes = f"<node>{INCH}<translate>1 0 0</translate><node><translate>1 0 0</translate>{shown('plain')}</node></node>"
    second, first = base(robot(geometries=plain + inches, base_node=nodes + shown("inches"))).visuals
    assert first.pose.position == pytest.approx((0.0508, 0.0, 0.0))
    assert corners(first).max() == pytest.approx(1.0508)
    assert (second.pose, corners(second).max()) == (Pose(), 0.0254)


def test_density_is_a_mass_in_each_cube_of_the_unit() -> None:
    shape = "<dynamic>false</dynamic><shape><density>5</density><box><half_extents>1 1 1</half_extents></box></shape>"
    text = robot(base_body=shape).replace('<physics_model id="pmodel">', f'<physics_model id="pmodel">{INCH}')
    inertial = base(text).inertial
    assert inertial.mass == pytest.approx(40.0)
    assert inertial.moment is not None
    assert inertial.moment[0][0] == pytest.approx(40.0 * (2.0 * 0.0254) ** 2 / 6.0)


# Points


def mesh_of(faces: str, points: str = TETRAHEDRON) -> str:
    return robot(geometries=f'<geometry id="g"><mesh>{points.format(id="g")}{faces}</mesh></geometry>', base_node=shown("g"))


ALL_FACES = FACES.format(id="g", symbol="", corners=OUTWARD)


def source_of(numbers: str, accessor: str, params: str) -> str:
    count = len(numbers.split())
    return (
        f'<source id="g_points"><float_array id="n" count="{count}">{numbers}</float_array><technique_common>'
        f'<accessor source="#n" {accessor}>{params}</accessor></technique_common></source>'
        '<vertices id="g_vertices"><input semantic="POSITION" source="#g_points"/></vertices>'
    )


XYZ = '<param name="X"/><param name="Y"/><param name="Z"/>'
LAYOUTS = {
    "plain": source_of("0 0 0 1 0 0 0 1 0 0 0 1", 'count="4" stride="3"', XYZ),
    "stride": source_of("0 0 0 9 1 0 0 9 0 1 0 9 0 0 1 9", 'count="4" stride="4"', XYZ),
    "stride and a short end": source_of("0 0 0 9 1 0 0 9 0 1 0 9 0 0 1", 'count="4" stride="4"', XYZ),
    "offset": source_of("9 9 0 0 0 1 0 0 0 1 0 0 0 1", 'count="4" stride="3" offset="2"', XYZ),
    "unnamed first": source_of("9 0 0 0 9 1 0 0 9 0 1 0 9 0 0 1", 'count="4" stride="4"', f"<param/>{XYZ}"),
    "unnamed between": source_of(
        "0 9 0 0 1 9 0 0 0 9 1 0 0 9 0 1", 'count="4" stride="4"', '<param name="X"/><param/><param name="Y"/><param name="Z"/>'
    ),
    "no names at all": source_of("0 0 0 1 0 0 0 1 0 0 0 1", 'count="4" stride="3"', "<param/><param/><param/>"),
    "without an accessor": (
        '<source id="g_points"><float_array id="n" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>'
        '<vertices id="g_vertices"><input semantic="POSITION" source="#g_points"/></vertices>'
    ),
    "more points than corners": source_of("0 0 0 1 0 0 0 1 0 0 0 1 7 7 7", 'count="5" stride="3"', XYZ),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layout_of_points(layout: str) -> None:
    (visual,) = base(mesh_of(ALL_FACES, layout)).visuals
    assert np.array_equal(corners(visual), POINTS[np.array(OUTWARD.split(), int).reshape(-1, 3)])


BROKEN = {
    "fewer numbers than points": (ALL_FACES, source_of("0 0 0 1 0 0", 'count="4" stride="3"', XYZ)),
    "a stride of nothing": (ALL_FACES, source_of("0 0 0 1 0 0 0 1 0", 'count="3" stride="0"', XYZ)),
    "a huge count": (ALL_FACES, source_of("0 0 0", 'count="1000000000000000000" stride="3"', XYZ)),
    "a negative offset": (ALL_FACES, source_of("0 0 0 1 0 0 0 1 0 0 0 1", 'count="4" stride="3" offset="-3"', XYZ)),
    "two coordinates": (ALL_FACES, source_of("0 0 1 0 0 1", 'count="3" stride="2"', '<param name="X"/><param name="Y"/>')),
    "a word": (ALL_FACES, source_of("0 0 0 1 0 0 0 one 0 0 0 1", 'count="4" stride="3"', XYZ)),
    "points that are not there": (FACES.format(id="g", symbol="", corners="0 1 9"), TETRAHEDRON),
    "half a triangle": (FACES.format(id="g", symbol="", corners="0 1"), TETRAHEDRON),
    "no triangle": (FACES.format(id="g", symbol="", corners=""), TETRAHEDRON),
    "another source": (ALL_FACES, TETRAHEDRON.replace('source="#{id}_points"', 'source="#x"')),
    "no vertices": (ALL_FACES, ""),
    "a huge offset": (ALL_FACES.replace('offset="0"', 'offset="1000000000000"'), TETRAHEDRON),
    "a negative index": (FACES.format(id="g", symbol="", corners="0 -1 2"), TETRAHEDRON),
}


@pytest.mark.parametrize(("faces", "points"), BROKEN.values(), ids=BROKEN)
def test_broken_triangles_are_an_error_when_they_are_asked_for(faces: str, points: str) -> None:
    (visual,) = base(mesh_of(faces, points)).visuals
    with pytest.raises(AssetError, match=r"robot\.dae#g"):
        corners(visual)


# Groups of faces

SQUARE = source_of("0 0 0 2 0 0 2 2 0 0 2 0 1 1 1", 'count="5" stride="3"', XYZ)
INPUT = '<input offset="0" semantic="VERTEX" source="#g_vertices"/>'
GROUPS = {
    f'<triangles count="1">{INPUT}<p>0 1 2</p></triangles>': [(0, 1, 2)],
    f'<polylist count="2">{INPUT}<vcount>4 3</vcount><p>0 1 2 3 0 4 1</p></polylist>': [(0, 1, 2), (0, 2, 3), (0, 4, 1)],
    f'<polygons count="2">{INPUT}<p>0 1 2 3</p><p>0 4 1</p></polygons>': [(0, 1, 2), (0, 2, 3), (0, 4, 1)],
    f'<polygons count="1">{INPUT}<ph><p>0 1 2 3</p><h>4 4 4</h></ph></polygons>': [(0, 1, 2), (0, 2, 3)],
    f'<trifans count="2">{INPUT}<p>4 0 1 2</p><p>4 2 3</p></trifans>': [(4, 0, 1), (4, 1, 2), (4, 2, 3)],
    f'<tristrips count="1">{INPUT}<p>0 1 3 2 4</p></tristrips>': [(0, 1, 3), (2, 3, 1), (3, 2, 4)],
    f'<tristrips count="1">{INPUT}<p>0 1 2 2 3</p></tristrips>': [(0, 1, 2)],
    '<triangles count="1"><input offset="1" semantic="VERTEX" source="#g_vertices"/>'
    '<input offset="0" semantic="NORMAL" source="#n"/><p>9 0 9 1 9 2</p></triangles>': [(0, 1, 2)],
    f'<triangles count="1">{INPUT}<input offset="2" semantic="TEXCOORD" source="#n"/><p>0 9 9 1 9 9 2 9 9</p></triangles>': [
        (0, 1, 2)
    ],
}


def turned_to_least(triangles: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [min(triangle[i:] + triangle[:i] for i in range(3)) for triangle in triangles]


@pytest.mark.parametrize("text", GROUPS)
def test_group_of_faces(text: str) -> None:
    points = [tuple(map(float, point)) for point in ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (1, 1, 1))]
    (visual,) = base(mesh_of(text, SQUARE), Report()).visuals
    found = [tuple(points.index(tuple(corner)) for corner in triangle) for triangle in corners(visual).tolist()]
    assert turned_to_least(found) == turned_to_least(GROUPS[text])


def test_each_group_is_a_shape() -> None:
    body = base(mesh_of("".join(list(GROUPS)[:4]), SQUARE), Report())
    assert [len(corners(visual)) for visual in body.visuals] == [1, 3, 3, 2]


# Hulls

CLOUD = '<geometry id="cloud"><convex_mesh>{}</convex_mesh></geometry>'.format(TETRAHEDRON.format(id="cloud"))


def test_the_hull_of_points() -> None:
    (visual,) = base(robot(geometries=CLOUD, base_node=shown("cloud"))).visuals
    assert visual.geometry.convex
    assert {tuple(point) for point in corners(visual).reshape(-1, 3)} == {tuple(point) for point in POINTS}
    a, b, c = np.moveaxis(corners(visual), 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(1.0 / 6.0)


def test_the_hull_of_another_geometry_is_one_shape_whatever_its_groups() -> None:
    halves = "".join(FACES.format(id="g", symbol="", corners=half) for half in ("0 2 1 0 1 3", "0 3 2 1 2 3"))
    geometries = (
        f'<geometry id="g"><mesh>{TETRAHEDRON.format(id="g")}{halves}</mesh></geometry>'
        '<geometry id="hull"><convex_mesh convex_hull_of="#g"/></geometry>'
    )
    (visual,) = base(robot(geometries=geometries, base_node=shown("hull"))).visuals
    assert visual.geometry.convex
    assert len(corners(visual)) == 4


def test_points_in_a_plane_have_no_hull() -> None:
    flat = CLOUD.replace("0 0 0 1 0 0 0 1 0 0 0 1", "0 0 0 1 0 0 0 1 0 1 1 0")
    (visual,) = base(robot(geometries=flat, base_node=shown("cloud"))).visuals
    with pytest.raises(AssetError, match="hull"):
        corners(visual)


# Simple shapes

SHAPES = {
    "<box><half_extents>0.5 1 1.5</half_extents></box>": (Box(size=(1.0, 2.0, 3.0)), Pose()),
    "<sphere><radius>2</radius></sphere>": (Sphere(radius=2.0), Pose()),
    "<cylinderz><height>3</height><radius>0.5 0.5</radius></cylinderz>": (Cylinder(radius=0.5, length=3.0), Pose()),
    "<cylinder><height>3</height><radius>0.5</radius></cylinder>": (
        Cylinder(radius=0.5, length=3.0),
        Pose(wxyz=quaternion_from_axis_angle((1.0, 0.0, 0.0), -QUARTER)),
    ),
    "<capsule><height>3</height><radius>0.5</radius></capsule>": (
        Capsule(radius=0.5, length=3.0),
        Pose(wxyz=quaternion_from_axis_angle((1.0, 0.0, 0.0), -QUARTER)),
    ),
}


@pytest.mark.parametrize("text", SHAPES)
def test_simple_shape_of_a_mesh(text: str) -> None:
    (visual,) = base(robot(geometries=geometry("g", inside=technique("geometry_info", text)), base_node=shown("g"))).visuals
    assert (visual.geometry, visual.pose) == SHAPES[text]


def test_a_cylinder_stands_along_y() -> None:
    _, pose = SHAPES["<cylinder><height>3</height><radius>0.5</radius></cylinder>"]
    assert pose.transform((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))


def test_a_plane_by_its_equation() -> None:
    body = f"{BODY}<shape><plane><equation>0 0 2 6</equation></plane></shape>"
    (shape,) = base(robot(base_body=f"<dynamic>false</dynamic>{body}")).collisions
    assert (shape.geometry.normal, shape.geometry.offset) == ((0.0, 0.0, 1.0), -3.0)


def test_stretched_boxes_and_spheres_keep_their_names() -> None:
    info = [technique("geometry_info", text) for text in list(SHAPES)[:2]]
    geometries = geometry("box", inside=info[0]) + geometry("ball", inside=info[1])
    node = f"<node><scale>2 2 2</scale><translate>1 0 0</translate>{shown('box')}{shown('ball')}</node>"
    box, ball = base(robot(geometries=geometries, base_node=node)).visuals
    assert (box.geometry, box.pose.position) == (Box(size=(2.0, 4.0, 6.0)), (2.0, 0.0, 0.0))
    assert (ball.geometry, ball.pose.position) == (Sphere(radius=4.0), (2.0, 0.0, 0.0))


def test_a_shape_that_is_not_visible() -> None:
    hidden = technique("geometry_info", "<visible><bool>false</bool></visible>")
    body = base(robot(geometries=geometry("g", inside=hidden), base_node=shown("g")))
    assert [visual.visible for visual in body.visuals] == [False]
    assert [shape.enabled for shape in body.collisions] == [True]


# Colours


def painted(shader: str, *, effect: str = "") -> tuple[float, float, float, float] | None:
    effects = f"""
    <library_effects><effect id="e">{effect}<profile_COMMON><technique sid="t">{shader}</technique></profile_COMMON></effect>
    </library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"""
    bound = (
        '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/>'
        "</technique_common></bind_material></instance_geometry>"
    )
    (visual,) = base(robot(geometries=geometry("g", symbol="s"), base_node=bound, libraries=effects)).visuals
    return visual.color


DIFFUSE = "<diffuse><color>0.25 0.5 0.75 1</color></diffuse>"


@pytest.mark.parametrize("shader", ["phong", "lambert", "blinn"])
def test_the_diffuse_colour_counts(shader: str) -> None:
    others = "<emission><color>1 1 1 1</color></emission><ambient><color>1 0 0 1</color></ambient>"
    assert painted(f"<{shader}>{others}{DIFFUSE}</{shader}>") == (0.25, 0.5, 0.75, 1.0)


def test_what_shines_by_itself_has_the_colour_of_its_light() -> None:
    assert painted("<constant><emission><color>0.25 0.5 0.75 1</color></emission></constant>") == (0.25, 0.5, 0.75, 1.0)


LUMINANCE = 0.212671 * 0.2 + 0.715160 * 0.4 + 0.072169 * 0.6
OPACITIES = {
    "A_ONE": 0.8 * 0.5,
    "A_ZERO": 1.0 - 0.8 * 0.5,
    "RGB_ONE": LUMINANCE * 0.5,
    "RGB_ZERO": 1.0 - LUMINANCE * 0.5,
}


@pytest.mark.parametrize("mode", OPACITIES)
def test_opacity(mode: str) -> None:
    transparent = f'<transparent opaque="{mode}"><color>0.2 0.4 0.6 0.8</color></transparent>'
    color = painted(f"<phong>{DIFFUSE}{transparent}<transparency><float>0.5</float></transparency></phong>")
    assert color is not None
    assert color[3] == pytest.approx(OPACITIES[mode], rel=1e-12)


@pytest.mark.parametrize(("number", "opacity"), [("1", 1.0), ("0.25", 0.25), ("0", 0.0), ("7", 1.0)])
def test_transparency_alone(number: str, opacity: float) -> None:
    color = painted(f"<phong>{DIFFUSE}<transparency><float>{number}</float></transparency></phong>")
    assert color is not None
    assert color[3] == opacity


def test_colours_that_are_parameters() -> None:
    specified = (
        '<newparam sid="hue"><float3>0.25 0.5 0.75</float3></newparam><newparam sid="thin"><float>0.5</float></newparam>'
    )
    shader = '<phong><diffuse><param ref="hue"/></diffuse><transparency><param ref="thin"/></transparency></phong>'
    assert painted(shader, effect=specified) == (0.25, 0.5, 0.75, 0.5)


def test_faces_without_a_material_have_no_colour() -> None:
    (visual,) = base(robot(geometries=geometry("g", symbol="s"), base_node=shown("g"))).visuals
    assert visual.color is None


# Mass


def inertial_of(content: str) -> Inertial:
    return base(robot(base_body=f"<dynamic>false</dynamic>{content}", geometries=geometry("g"))).inertial


def about(inertial: Inertial) -> tuple[float, np.ndarray, np.ndarray]:
    assert inertial.moment is not None
    return inertial.mass, np.array(inertial.center_of_mass), np.array(inertial.moment)


R, H, RHO = 0.5, 2.0, 3.0
SPHERE = 4.0 / 3.0 * math.pi * R**3 * RHO
CYLINDER = math.pi * R**2 * H * RHO
CAPSULE = math.pi * R**2 * H * RHO + SPHERE
ACROSS = CYLINDER * (3.0 * R**2 + H**2) / 12.0
CAPS = SPHERE * (0.4 * R**2 + H**2 / 4.0 + 0.375 * H * R)
MASSES = {
    "<box><half_extents>0.5 1 1.5</half_extents></box>": (6.0 * RHO, (6.5 * RHO, 5.0 * RHO, 2.5 * RHO)),
    f"<sphere><radius>{R}</radius></sphere>": (SPHERE, (0.4 * SPHERE * R**2,) * 3),
    f"<cylinder><height>{H}</height><radius>{R}</radius></cylinder>": (CYLINDER, (ACROSS, 0.5 * CYLINDER * R**2, ACROSS)),
    f"<capsule><height>{H}</height><radius>{R}</radius></capsule>": (
        CAPSULE,
        (ACROSS + CAPS, 0.5 * CYLINDER * R**2 + 0.4 * SPHERE * R**2, ACROSS + CAPS),
    ),
}


@pytest.mark.parametrize("shape", MASSES)
def test_mass_of_a_shape(shape: str) -> None:
    mass, center, moment = about(inertial_of(f"<shape><density>{RHO}</density>{shape}</shape>"))
    expected, moments = MASSES[shape]
    assert mass == pytest.approx(expected, rel=1e-12)
    assert np.allclose(center, 0.0, atol=1e-15)
    assert np.allclose(moment, np.diag(moments), rtol=1e-12, atol=1e-15)


def tetrahedron() -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and moment of the tetrahedron at a density of 1: integrals over 0 ≤ x, y, z and x + y + z ≤ 1."""
    mass, center = 1.0 / 6.0, np.full(3, 0.25)
    products = np.full((3, 3), 1.0 / 120.0) + np.eye(3) / 120.0
    moment = np.trace(products) * np.eye(3) - products
    return mass, center, moment - mass * (center @ center * np.eye(3) - np.outer(center, center))


def test_mass_of_a_closed_mesh() -> None:
    mass, center, moment = about(inertial_of(f"<shape><density>{RHO}</density>{shown('g')}</shape>"))
    expected, middle, moments = tetrahedron()
    assert mass == pytest.approx(RHO * expected, rel=1e-12)
    assert np.allclose(center, middle, rtol=1e-12)
    assert np.allclose(moment, RHO * moments, rtol=1e-12)


def test_masses_of_several_shapes_add_up() -> None:
    ball = f"<sphere><radius>{R}</radius></sphere>"
    first = f"<shape><mass>2</mass>{ball}<translate>1 0 0</translate></shape>"
    second = f"<shape><mass>6</mass>{ball}<translate>-1 0 0</translate><rotate>1 1 1 50</rotate></shape>"
    mass, center, moment = about(inertial_of(first + second))
    own = 8.0 * 0.4 * R**2
    apart = 2.0 * 1.5**2 + 6.0 * 0.5**2
    assert mass == 8.0
    assert np.allclose(center, (-0.5, 0.0, 0.0), rtol=1e-12)
    assert np.allclose(moment, np.diag((own, own + apart, own + apart)), rtol=1e-12, atol=1e-14)


def test_a_specified_mass_is_shared_by_the_shapes() -> None:
    ball = "<shape><density>{}</density><sphere><radius>1</radius></sphere><translate>{} 0 0</translate></shape>"
    mass, center, _ = about(inertial_of("<mass>4</mass>" + ball.format(1, 1) + ball.format(3, -1)))
    assert mass == 4.0
    assert np.allclose(center, (-0.5, 0.0, 0.0), rtol=1e-12)


def test_specified_moments_are_about_the_axes_of_the_mass_frame() -> None:
    frame = "<mass_frame><translate>1 2 3</translate><rotate>0 0 1 90</rotate></mass_frame>"
    mass, center, moment = about(inertial_of(f"<mass>2</mass>{frame}<inertia>1 2 3</inertia>"))
    assert mass == 2.0
    assert np.allclose(center, (1.0, 2.0, 3.0))
    assert np.allclose(moment, np.diag((2.0, 1.0, 3.0)), atol=1e-15)


def test_the_mass_frame_stands_in_the_frame_of_the_parent_node() -> None:
    text = robot(around="<translate>0 0 5</translate>", parent=' parent="#hand_node"', hand_body=BODY.replace("0 0 0", "1 0 0"))
    hand = read(text).models["arm"].bodies["hand"]
    assert hand.inertial.center_of_mass == pytest.approx((1.0, 0.0, 0.0))
    from_root = read(text.replace(' parent="#hand_node"', "")).models["arm"].bodies["hand"]
    assert from_root.inertial.center_of_mass == pytest.approx((1.0, 0.0, -1.0))


def test_what_an_instance_says_counts_before_its_body() -> None:
    text = robot().replace(
        'target="#hand_node"/>', 'target="#hand_node"><technique_common><mass>7</mass></technique_common></instance_rigid_body>'
    )
    hand = read(text).models["arm"].bodies["hand"]
    assert (hand.inertial.mass, hand.inertial.moment) == (7.0, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


# What is touched


def test_shapes_of_a_rigid_body_are_touched() -> None:
    friction = "<technique_common><dynamic_friction>0.1</dynamic_friction></technique_common>"
    material = f'<physics_material name="ice">{friction}</physics_material>'
    shape = f"<shape>{material}<sphere><radius>1</radius></sphere><translate>0 0 2</translate></shape>"
    text = robot(hand_body=BODY + shape, parent=' parent="#base_node"', geometries=geometry("g"), hand_node=shown("g"))
    hand = read(text).models["arm"].bodies["hand"]
    assert [type(visual.geometry) for visual in hand.visuals] == [TriangleMesh]
    assert hand.collisions == (
        Collision(geometry=Sphere(radius=1.0), pose=Pose((0.0, 0.0, 1.0)), material=Material(name="ice", friction=0.1)),
    )


def test_what_is_seen_is_touched_where_nothing_else_is_said() -> None:
    body = base(robot(geometries=geometry("g"), base_node=shown("g")))
    assert [(shape.geometry, shape.pose) for shape in body.collisions] == [(seen.geometry, seen.pose) for seen in body.visuals]


def test_openrave_takes_meshes_in_the_frames_of_links() -> None:
    text = robot(geometries=geometry("g"), base_node=f"<node><translate>5 0 0</translate>{shown('g')}</node>").encode()
    for reader, place in ((read_collada, 5.0), (read_openrave, 0.0)):
        world = reader(Source("robot.dae", text), Report())
        assert world is not None
        assert world.models["arm"].bodies["base"].visuals[0].pose.position[0] == place
