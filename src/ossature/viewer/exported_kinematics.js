// Forward kinematics of exported pages: poses of bodies from joint positions, formulas of coupled joints, and connectors.
// A pose is [x, y, z, w, i, j, k] in metres, with a unit quaternion; angles are in radians. `page_data` has the types of the data.
window.ossatureKinematics = (function () {
  const IDENTITY = [0, 0, 0, 1, 0, 0, 0];

  const multiply = ([a, b, c, d], [w, x, y, z]) => [
    a * w - b * x - c * y - d * z,
    a * x + b * w + c * z - d * y,
    a * y - b * z + c * w + d * x,
    a * z + b * y - c * x + d * w,
  ];
  const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
  const rotate = ([w, x, y, z], point) => {
    const twice = cross([x, y, z], point).map((value) => 2 * value);
    const second = cross([x, y, z], twice);
    return point.map((value, axis) => value + w * twice[axis] + second[axis]);
  };
  const rotationOf = (pose) => pose.slice(3);
  const transform = (pose, point) => rotate(rotationOf(pose), point).map((value, axis) => value + pose[axis]);
  const compose = (first, second) => [...transform(first, second.slice(0, 3)), ...multiply(rotationOf(first), rotationOf(second))];
  const invert = (pose) => {
    const [w, x, y, z] = rotationOf(pose);
    const inverse = [w, -x, -y, -z];
    return [...rotate(inverse, pose.slice(0, 3)).map((value) => -value), ...inverse];
  };
  const aboutAxis = (axis, angle) => [Math.cos(angle / 2), ...axis.map((value) => value * Math.sin(angle / 2))];
  const fromRotationVector = (vector) => {
    const angle = Math.hypot(...vector);
    return angle === 0 ? [1, 0, 0, 0] : aboutAxis(vector.map((value) => value / angle), angle);
  };

  function factorPose(factor, values) {
    const q = (number) => (factor.constants ? factor.constants[number] : values[factor.coordinate + number]);
    if (factor.axis && !factor.isRotation) {
      return [...factor.axis.map((value) => value * factor.translation * q(0)), 1, 0, 0, 0];
    }
    const rotation = factor.axis ? aboutAxis(factor.axis, q(0)) : fromRotationVector([q(0), q(1), q(2)]);
    const moved = rotate(rotation, factor.anchor);
    const along = factor.axis ? factor.axis.map((value) => value * factor.translation * q(0)) : [0, 0, 0];
    return [...factor.anchor.map((value, axis) => value - moved[axis] + along[axis]), ...rotation];
  }

  // Poses of all bodies, of those without joint motions as they are.
  function linkPoses(links, values, current) {
    const poses = [];
    links.forEach((link, number) => {
      if (!link.isPosed) {
        poses.push(current[number]);
        return;
      }
      let motion = IDENTITY;
      for (const factor of link.factors) motion = compose(motion, factorPose(factor, values));
      if (link.isReversed) motion = invert(motion);
      const local = compose(compose(link.before, motion), link.after);
      poses.push(link.parent === null ? local : compose(poses[link.parent], local));
    });
    return poses;
  }

  // Formulas

  const truth = (value) => (value ? 1 : 0);
  const compared = (compare) => (...sides) => (sides.some(Number.isNaN) ? NaN : truth(compare(...sides)));
  const root = (radicand, degree) => {
    if (degree === 2) return Math.sqrt(radicand);
    const size = degree === 3 ? Math.cbrt(Math.abs(radicand)) : Math.abs(radicand) ** (1 / degree);
    return Math.abs(degree) % 2 === 1 ? (radicand < 0 ? -size : size) : radicand ** (1 / degree);
  };
  const logarithm = (value, base) => {
    if (base === 10) return Math.log10(value);
    return base === 2 ? Math.log2(value) : Math.log(value) / Math.log(base);
  };
  const OPERATORS = {
    add: (...all) => all.reduce((a, b) => a + b),
    subtract: (a, b) => a - b,
    negate: (a) => -a,
    multiply: (...all) => all.reduce((a, b) => a * b),
    divide: (a, b) => a / b,
    power: (a, b) => (a === 1 ? 1 : a ** b), // IEEE 754: 1 to any power is 1
    root,
    remainder: (a, b) => a % b,
    quotient: (a, b) => Math.floor(a / b),
    floor: Math.floor,
    ceiling: Math.ceil,
    absolute: Math.abs,
    minimum: Math.min,
    maximum: Math.max,
    exponential: Math.exp,
    natural_logarithm: Math.log,
    logarithm,
    sine: Math.sin,
    cosine: Math.cos,
    tangent: Math.tan,
    arc_sine: Math.asin,
    arc_cosine: Math.acos,
    arc_tangent: Math.atan,
    arc_tangent_2: Math.atan2,
    hyperbolic_sine: Math.sinh,
    hyperbolic_cosine: Math.cosh,
    hyperbolic_tangent: Math.tanh,
    arc_hyperbolic_sine: Math.asinh,
    arc_hyperbolic_cosine: Math.acosh,
    arc_hyperbolic_tangent: Math.atanh,
    equal: compared((a, b) => a === b),
    not_equal: compared((a, b) => a !== b),
    greater: compared((a, b) => a > b),
    greater_or_equal: compared((a, b) => a >= b),
    less: compared((a, b) => a < b),
    less_or_equal: compared((a, b) => a <= b),
    and: compared((...all) => all.every(Boolean)),
    or: compared((...all) => all.some(Boolean)),
    not: compared((a) => !a),
    choose: (condition, ifTrue, ifFalse) => (Number.isNaN(condition) ? NaN : condition ? ifTrue : ifFalse),
  };

  // The value of a formula in postfix notation, NaN if it is undefined.
  function evaluate(program, values) {
    const stack = [];
    for (const part of program) {
      if (typeof part === "number") stack.push(part);
      else if (part[0] === "q") stack.push(values[part[1]]);
      else stack.push(OPERATORS[part[0]](...stack.splice(stack.length - part[1])));
    }
    return Number.isFinite(stack[0]) ? stack[0] : NaN;
  }

  // Returns the values with those of coupled coordinates, or the name of a joint whose formula has no value.
  function withCouplings(couplings, values) {
    const all = [...values];
    for (const coupling of couplings) {
      const value = evaluate(coupling.program, all);
      if (Number.isNaN(value)) return { undefinedJoint: coupling.name };
      all[coupling.coordinate] = value;
    }
    return { values: all };
  }

  // Pose and scale factors of what is stretched from one point to another, along its own z axis.
  function stretched(connector, poses) {
    const [start, end] = connector.ends.map(({ link, point }) => (link === null ? point : transform(poses[link], point)));
    const offset = end.map((value, axis) => value - start[axis]);
    const length = Math.hypot(...offset);
    const scale = [connector.width, connector.width, Math.max(length, 1e-9)];
    if (length < 1e-9) return { pose: [...start, 1, 0, 0, 0], scale };
    const [x, y, z] = offset.map((value) => value / length);
    const half = Math.sqrt(Math.max(0, (1 + z) / 2));
    const rotation = half < 1e-9 ? [0, 1, 0, 0] : [half, -y / (2 * half), x / (2 * half), 0];
    return { pose: [...start, ...rotation], scale };
  }

  return { compose, evaluate, linkPoses, stretched, withCouplings };
})();
