#!/bin/sh
# A robot arm and a machine, from file to motion. Run it with `make demo`.
set -eu
here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say ossature info "$here/arm.skel"
say ossature check "$here/arm.skel"
printf '\nThe same arm with a typing mistake:\n'
say ossature check "$here/typo.skel"
say ossature pose "$here/arm.skel" --joint elbow=1.2 --joint wrist=0.2,0.1
say ossature convert "$here/arm.skel" "$out/arm.xml"
say ossature simulate "$here/arm.skel" --duration 2 --record "$out/run.json"
printf '\nA machine with a closed loop, a motor and a spring, in Chrono YAML:\n'
say ossature check "$here/slider_crank.yaml"
say ossature simulate "$here/slider_crank.yaml" --duration 2 --plot "$out/slider_crank.png"
say ossature convert "$here/arm.skel" "$out/arm.yaml"
printf '\nA robot in COLLADA, with a coupled gripper and an arm that reaches:\n'
say ossature info "$here/picker.dae"
say ossature ik "$here/picker.dae" --target transform6d:0.4,0.2,0.6,3.14159,0,0
say ossature pose "$here/picker.dae" --close-gripper arm
say ossature simulate "$here/picker.dae" --duration 1 --close-gripper arm@0.2 --open-gripper arm@0.6
say python "$here/pick_up.py"
say ossature convert "$here/picker.dae" "$out/picker.zae" --verify
printf '\nA robot in URDF, with a gripper of two jaws that move together:\n'
say ossature check "$here/palletizer.urdf"
say ossature pose "$here/palletizer.urdf" --joint shoulder=0.5 --joint left_slide=0.03
say ossature convert "$here/palletizer.urdf" "$out/palletizer.skel" --verify
say ossature convert "$here/arm.skel" "$out/arm.urdf" --verify
say ossature simulate "$here/palletizer.urdf" --duration 1
