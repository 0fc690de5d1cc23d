"""Rules of errors and warnings about the robots of the corpus: the reason of each, and the files that have it."""

from __future__ import annotations

URDF = {
    "implausible-density": ("fingers of 1 kg and 3 cm", "robot"),
    "implausible-inertia": ("placeholders: 1 kg and 0.1 kg·m² of a sensor of 1 mm, and of fingers", "pr2_simplified robot"),
    "initial-position-outside-limits": (
        "thumbs, knees and grippers that cannot be at zero",
        "allegro_hand_description_left allegro_hand_description_right model robot pincher_arm",
    ),
    "missing-limit": ("two prismatic joints of the base", "pr2_simplified"),
    "missing-mesh": ("the meshes are not in the corpus", "pr2_simplified atlas pioneer-lx-devil pioneer-lx robot"),
    "non-positive-mass": (
        "links that a joint moves and that have no <inertial>, nor any below them",
        "pioneer-lx-devil model irb140 irb140QT pincher_arm turtlebot_arm",
    ),
    "non-positive-size": ("collision spheres of radius 0 as placeholders", "atlas"),
    "reversed-limits": ('lower="2.775" upper="-2.775"', "pioneer-lx-devil"),
    "soft-limit-exceeds-hard-limit": (
        "soft limits 10 rad beyond the others switch the controller off, and mislead readers",
        "atlas",
    ),
    "undeclared-world-link": ("the parent world is not declared", "pr2_simplified"),
    "unknown-attribute": (
        "<collision group> and <geometry name>, which URDF does not define and all programs ignore",
        "atlas pioneer-lx-devil pioneer-lx pioneer3at pioneer3dx",
    ),
    "unknown-element": ("<origin> in <geometry>: the shapes are at another place than intended", "pioneer-lx-devil"),
    "unreachable-coupled-position": ("limits 0 to 0.8757 of joints that mimic another one with -1", "robotiq2F85"),
    "unresolved-reference": ("<gazebo reference> of a link that was renamed", "robot"),
}
COLLADA = {
    "default-used": ("no gravity is stated, and programs use different ones", "fail4 fail5_4d kuka-kr150 testik0 weldinggun"),
    "implausible-inertia": (
        "placeholders: the same moments, often 1 or 1000 kg·m², of every link",
        "barrett-wam-sensors calibration_board cmu-permma crustcrawler-ax12 darpa-arm exactdynamics-manusarmleft fail1 fail4 "
        "kuka-kr150 kuka-kr3-cr kuka-kr5-r650 kuka-youbot mitsubishi-pa10 mug1 neuronics-katana pumagripper rotation_stage "
        "schunk-lwa3 weldinggun",
    ),
    "inconsistent-derivative": (
        "derivatives that the exporter of OpenRAVE wrote wrongly",
        "barrett-hand cmu-permma darpa-arm exactdynamics-manusarmleft kuka-youbot neuronics-katana pumagripper",
    ),
    "inertia-violates-triangle-inequality": (
        "as 0.1, 0.1 and 0.35 kg·m²: no body has them",
        "barrett-hand pumaarm unimation-pumaarm",
    ),
    "missing-mass": ("no rigid body states a mass", "fail4 fail5_4d kuka-kr150 testik0 weldinggun"),
    "renamed": ("two joints are named dummy-1", "cmu-permma exactdynamics-manusarmleft"),
    "unbound-axis": ("a joint of a link without shapes is not bound", "weldinggun"),
    "unknown-link": ("references to a link that no file defines", "fail4"),
    "zero-axis": ("<rotate>0 0 0 0</rotate>", "weldinggun"),
    "zero-principal-moment": ("all moments of each link are zero", "kawada-hironx"),
}

MJCF = {
    "initial-position-outside-limits": (
        "feet, thumbs and fingers that cannot be at zero, where MuJoCo starts without a keyframe",
        "agility_cassie/cassie agility_cassie/scene trossen_vx300s/scene trossen_vx300s/vx300s trossen_wx250s/scene "
        "trossen_wx250s/wx250s wonik_allegro/left_hand wonik_allegro/right_hand wonik_allegro/scene_left "
        "wonik_allegro/scene_right",
    ),
}
