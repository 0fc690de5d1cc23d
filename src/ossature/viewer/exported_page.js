// Controls of exported pages: joints, layers and the timeline of a recording. The scene is moved by the messages with which a
// server of viser moves it.
(async function () {
  const { compose, linkPoses, stretched, withCouplings } = window.ossatureKinematics;
  const data = JSON.parse(document.getElementById("ossature-data").textContent);
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Scene

  const send = (messages) => {
    const viewer = window.__viserMutable;
    for (const message of messages) viewer.messageQueue.push({ owner: "", ...message });
    viewer.requestRender();
  };
  const poseMessages = (name, pose) => [
    { type: "SetPositionMessage", name, position: pose.slice(0, 3) },
    { type: "SetOrientationMessage", name, wxyz: pose.slice(3) },
  ];
  const updateMessage = (name, updates) => ({ type: "SceneNodeUpdateMessage", name, updates });
  const visibilityMessage = (name, visible) => ({ type: "SetSceneNodeVisibilityMessage", name, visible });

  const isSceneBuilt = () => {
    if (!window.__viserMutable || !window.__viserMutable.camera || !window.__viserSceneTree) return false;
    const nodes = window.__viserSceneTree.getState();
    return data.layers.every((layer) => layer.nodes.every((name) => nodes[name]));
  };

  // Numbers that were compressed in Python
  const decode = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Float32Array(await new Response(stream).arrayBuffer());
  };
  const decodeLines = async (lines) => {
    if (!lines) return null;
    const points = await decode(lines.points);
    let end = 0;
    const ends = lines.counts.map((count) => (end += 6 * count));
    return (frame) => points.slice(frame === 0 ? 0 : ends[frame - 1], ends[frame]);
  };

  const isLayerShown = Object.fromEntries(data.layers.map((layer) => [layer.name, layer.isShown]));
  const nameOfLayer = Object.fromEntries(data.layers.map((layer) => [layer.states, layer.name])); // of tendons and contacts
  const showLayer = (layer, isShown) => {
    isLayerShown[layer.name] = isShown;
    send(layer.nodes.map((name) => visibilityMessage(name, isShown)));
    if (isShown || layer.states) for (const file of files) file.draw(); // what is hidden does not move
  };

  class File {
    constructor(file) {
      this.data = file;
      this.values = [...file.values];
      this.poses = file.links.map((link) => link.pose);
      this.frame = null; // of the recording that is shown
      this.onValues = () => {};
    }

    async load(recording) {
      if (!recording) return;
      const [poses, positions, tendons, colors, contacts] = await Promise.all([
        decode(recording.poses),
        decode(recording.positions),
        decodeLines(recording.tendons),
        decodeLines(recording.tendonColors),
        decodeLines(recording.contacts),
      ]);
      this.recording = { ...recording, poses, positions, tendons, colors, contacts };
    }

    // Returns the name of a joint whose formula has no value, and moves nothing then.
    move(coordinate, value) {
      return this.moveTo(this.values.map((before, number) => (number === coordinate ? value : before)));
    }

    moveTo(values) {
      const coupled = withCouplings(this.data.couplings, values);
      if (coupled.undefinedJoint) return coupled.undefinedJoint;
      this.values = coupled.values;
      this.poses = linkPoses(this.data.links, this.values, this.poses);
      this.frame = null;
      this.draw();
      return null;
    }

    showFrame(frame) {
      const { links, coordinates, poses, positions } = this.recording;
      this.frame = frame;
      this.poses = [...this.poses];
      links.forEach((link, number) => {
        const first = 7 * (frame * links.length + number);
        this.poses[link] = [...poses.subarray(first, first + 7)];
      });
      coordinates.forEach((coordinate, number) => {
        this.values[coordinate] = positions[frame * coordinates.length + number];
      });
      this.draw();
    }

    draw() {
      const messages = this.data.links.flatMap((link, number) =>
        link.node === null ? [] : poseMessages(link.node, this.poses[number]),
      );
      for (const connector of this.data.connectors) {
        if (!isLayerShown[connector.layer]) continue;
        const { pose, scale } = stretched(connector, this.poses);
        messages.push(...poseMessages(connector.node, pose), updateMessage(connector.node, { scale }));
      }
      for (const { node, layer, links, poses } of this.data.instances) {
        if (!isLayerShown[layer]) continue;
        const placed = links.map((link, number) => compose(this.poses[link], poses[number]));
        const offset = this.data.offset;
        messages.push(
          updateMessage(node, {
            batched_positions: Float32Array.from(placed.flatMap((pose) => offset.map((value, axis) => value + pose[axis]))),
            batched_wxyzs: Float32Array.from(placed.flatMap((pose) => pose.slice(3))),
          }),
        );
      }
      send(messages);
      this.showLines();
      this.onValues();
    }

    // Tendons and contacts are known in the frames of a recording, and at the joint positions at which the page opens.
    showLines() {
      const { tendons, contacts } = this.data;
      const styles = {
        tendons: ["LineSegmentsMessage", tendons.node, { thickness: tendons.thickness, thickness_units: "world" }],
        contacts: ["ArrowMessage", contacts.node, { ...contacts.style, colors: Uint8Array.from(contacts.color) }],
      };
      for (const [kind, [type, name, style]] of Object.entries(styles)) {
        const isDrawn = Boolean(window.__viserSceneTree.getState()[name]);
        const isShown = Boolean(isLayerShown[nameOfLayer[kind]]);
        const read = this.recording && this.recording[kind];
        const points = this.frame !== null && read ? read(this.frame) : [];
        const isAtStart = this.frame === null && this.isAtStart();
        if (isShown && points.length > 0) {
          const props = { ...style, points, scale: 1.0 };
          if (kind === "tendons") props.colors = Uint8Array.from(this.recording.colors(this.frame));
          send([{ type, name, virtual: false, props }, visibilityMessage(name, true)]);
        } else if (isDrawn) {
          send([visibilityMessage(name, isShown && isAtStart)]);
        }
      }
    }

    isAtStart() {
      return this.values.every((value, number) => value === this.data.values[number]);
    }
  }

  // Panel

  const panel = make("aside");
  panel.id = "ossature-panel";
  const header = make("header");
  const fold = make("button", "fold", "▾");
  fold.setAttribute("aria-label", "Fold or unfold the panel");
  header.append(make("h1", "", data.title), fold);
  const content = make("div", "content");
  const note = make("p", "note");
  note.setAttribute("role", "status");
  content.append(note);
  panel.append(header, content);
  const setFolded = (isFolded) => {
    document.documentElement.classList.toggle("ossature-folded", isFolded);
    fold.textContent = isFolded ? "▸" : "▾";
    fold.setAttribute("aria-expanded", String(!isFolded));
  };
  header.addEventListener("click", () => setFolded(!document.documentElement.classList.contains("ossature-folded")));

  const section = (title, isOpen) => {
    const details = make("details");
    details.open = isOpen;
    details.append(make("summary", "", title));
    return details;
  };

  const wrapped = (slider, value) => {
    if (!slider.isAngular || slider.isLimited) return value;
    return value - 2 * Math.PI * Math.round(value / (2 * Math.PI));
  };
  // With few significant digits, and without the digits of rounding errors: String(0 + -0) has no sign.
  const digits = (value, count, decimals) => String(0 + Number(Number(value.toPrecision(count)).toFixed(decimals)));
  const valueText = (slider, value) => {
    if (!slider.isAngular) return `${digits(value, 4, 6)} m`;
    return `${digits(value, 4, 6)} rad, ${digits((value * 180) / Math.PI, 3, 4)}°`;
  };

  function addSlider(parent, file, slider) {
    const row = make("label", "slider");
    row.title = slider.hint;
    const name = make("span", "name", slider.label);
    const shown = make("output");
    const input = make("input");
    input.type = "range";
    input.min = slider.lower;
    input.max = slider.upper;
    input.step = "any";
    input.disabled = !slider.isMovable;
    input.setAttribute("aria-label", slider.label);
    row.append(name, shown, input);
    parent.append(row);
    input.addEventListener("input", () => {
      pause();
      const undefinedJoint = file.move(slider.coordinate, Number(input.value));
      note.textContent = undefinedJoint ? `The formula of joint ${undefinedJoint} has no value there.` : noteOnLines(file);
      if (undefinedJoint) update();
    });
    const update = () => {
      const value = wrapped(slider, file.values[slider.coordinate]);
      if (document.activeElement !== input || Math.abs(Number(input.value) - value) > 1e-9) input.value = value;
      shown.textContent = valueText(slider, value);
    };
    return { row, update, text: `${slider.model}/${slider.label}`.toLowerCase() };
  }

  const noteOnLines = (file) => {
    const lines = data.layers.filter((layer) => layer.states && isLayerShown[layer.name]);
    if (lines.length === 0 || file.isAtStart()) return "";
    return `${lines.map((layer) => layer.name).join(" and ")}: shown in recordings, and at the first joint positions.`;
  };

  const MANY = 12; // sliders, from which on a field filters them
  function addJoints(file) {
    const details = section(files.length > 1 ? `Joints of ${file.data.name}` : "Joints", true);
    const { sliders, fixedModels } = file.data;
    const rows = [];
    if (sliders.length > 0) {
      const buttons = make("div", "buttons");
      const initial = make("button", "", "Initial");
      const zero = make("button", "", "Zero");
      initial.title = "Initial positions of the file";
      const set = (valueOf) => {
        pause();
        const values = [...file.values];
        for (const { coordinate, isMovable } of sliders) if (isMovable) values[coordinate] = valueOf(coordinate);
        const undefinedJoint = file.moveTo(values);
        note.textContent = undefinedJoint ? `The formula of joint ${undefinedJoint} has no value there.` : noteOnLines(file);
      };
      initial.addEventListener("click", () => set((coordinate) => file.data.initial[coordinate]));
      zero.addEventListener("click", () => set(() => 0));
      buttons.append(initial, zero);
      details.append(buttons);
    }
    if (sliders.length > MANY) {
      const filter = make("input", "filter");
      filter.type = "search";
      filter.placeholder = "Filter joints";
      filter.addEventListener("input", () => {
        const wanted = filter.value.trim().toLowerCase();
        for (const { row, text } of rows) row.hidden = !text.includes(wanted);
      });
      details.append(filter);
    }
    const models = [...new Set(sliders.map((slider) => slider.model))];
    for (const model of models) {
      if (models.length > 1) details.append(make("h2", "", model));
      const own = sliders.filter((slider) => slider.model === model);
      for (const slider of own.filter((one) => !one.isBase)) rows.push(addSlider(details, file, slider));
      const base = own.filter((one) => one.isBase);
      if (base.length > 0) {
        const inner = section("Base", base.length === own.length);
        for (const slider of base) rows.push(addSlider(inner, file, slider));
        details.append(inner);
      }
    }
    for (const { model, reasons } of fixedModels) {
      const more = reasons.length > 3 ? ` and ${reasons.length - 3} more` : "";
      const text = `${model} has no sliders (${reasons.slice(0, 3).join(", ")}${more}): it moves in a recording.`;
      details.append(make("p", "hint", text));
    }
    if (sliders.length === 0 && fixedModels.length === 0) details.append(make("p", "hint", "No movable joints."));
    file.onValues = () => rows.forEach((row) => row.update());
    content.append(details);
  }

  function addCheckbox(parent, name, hint, isChecked, onChange) {
    const row = make("label", "layer");
    row.title = hint;
    const box = make("input");
    box.type = "checkbox";
    box.checked = isChecked;
    box.addEventListener("change", () => onChange(box.checked));
    row.append(box, make("span", "", name));
    parent.append(row);
    return box;
  }

  const setTransparent = (isTransparent) =>
    send(data.opacities.map((one) => updateMessage(one.node, { opacity: isTransparent ? one.transparent : one.opaque })));

  function addLayers() {
    const details = section("Layers", true);
    const hint = "Draw visual shapes translucent, so that the markers inside them are visible";
    const transparent = addCheckbox(details, "Transparent", hint, data.isTransparent, setTransparent);
    let hadInner = data.isTransparent;
    for (const layer of data.layers) {
      addCheckbox(details, layer.name, layer.hint, layer.isShown, (isShown) => {
        showLayer(layer, isShown);
        if (!layer.isInner || !isShown || hadInner) return;
        hadInner = transparent.checked = true; // visual shapes would hide what is shown
        setTransparent(true);
      });
    }
    for (const name of data.omittedLayers) details.append(make("p", "hint", `${name}: too large for this page.`));
    content.append(details);
  }

  // Timeline

  let pause = () => {};
  function addTimeline(times) {
    const duration = times[times.length - 1];
    const bar = make("div");
    bar.id = "ossature-timeline";
    const play = make("button");
    const track = make("input");
    track.type = "range";
    track.min = 0;
    track.max = duration;
    track.step = "any";
    track.setAttribute("aria-label", "Time");
    const shown = make("output");
    const speed = make("select");
    speed.setAttribute("aria-label", "Speed");
    for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) speed.append(new Option(`${factor}×`, factor, factor === 1, factor === 1));
    const loop = make("input");
    loop.type = "checkbox";
    loop.checked = true;
    const loopLabel = make("label", "loop");
    loopLabel.append(loop, make("span", "", "Loop"));
    bar.append(play, track, shown, speed, loopLabel);
    document.body.append(bar);
    let time = 0;
    let number = -1;
    let isPlaying = false;
    let before = 0;
    const show = (moment) => {
      time = Math.min(Math.max(moment, 0), duration);
      let next = times.findIndex((one) => one > time + 1e-9) - 1;
      if (next < 0) next = times.length - 1;
      track.value = time;
      shown.textContent = `${time.toFixed(2)} / ${duration.toFixed(2)} s`;
      if (next === number && files.every((file) => !file.recording || file.frame !== null)) return;
      number = next;
      note.textContent = "";
      for (const file of files) if (file.recording) file.showFrame(number);
    };
    const setPlaying = (playing) => {
      isPlaying = playing;
      play.textContent = playing ? "Pause" : "Play";
      if (!playing) return;
      if (time >= duration) time = 0;
      before = performance.now();
      requestAnimationFrame(advance);
    };
    const advance = (now) => {
      if (!isPlaying) return;
      const next = time + (Math.max(now - before, 0) / 1000) * Number(speed.value);
      before = now;
      if (next >= duration && !loop.checked) setPlaying(false);
      show(next >= duration && loop.checked ? 0 : next);
      if (isPlaying) requestAnimationFrame(advance);
    };
    pause = () => setPlaying(false);
    play.addEventListener("click", () => setPlaying(!isPlaying));
    track.addEventListener("input", () => {
      pause();
      show(Number(track.value));
    });
    document.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLInputElement && event.target.type === "search") return;
      if (event.key === " ") setPlaying(!isPlaying);
      else if (event.target !== document.body) return; // the arrow keys move the slider that has the focus
      else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        pause();
        show(times[Math.min(Math.max(number + (event.key === "ArrowRight" ? 1 : -1), 0), times.length - 1)]);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    }, true);
    show(0);
    setPlaying(true);
  }

  // A narrow window shows as much as a wide one if the camera is farther away, until its user moves it

  const WIDE = 1.2;
  function fitWindow() {
    if (!data.fitsWindow) return;
    const canvas = document.querySelector("canvas[data-engine]");
    const { position, lookAt } = data.camera;
    let isMoved = false;
    let factor = 1;
    for (const kind of ["pointerdown", "wheel"]) {
      canvas.parentElement.addEventListener(kind, () => (isMoved = true), { capture: true, passive: true });
    }
    new ResizeObserver(() => {
      const wanted = Math.max(1, (WIDE * canvas.clientHeight) / canvas.clientWidth);
      if (isMoved || !Number.isFinite(wanted) || wanted === factor) return;
      factor = wanted;
      const farther = position.map((value, axis) => lookAt[axis] + (value - lookAt[axis]) * factor);
      send([
        { type: "SetCameraPositionMessage", position: farther, initial: false },
        { type: "SetCameraLookAtMessage", look_at: lookAt, initial: false },
      ]);
    }).observe(canvas);
  }

  const files = data.files.map((file) => new File(file));
  document.body.append(panel);
  setFolded(window.innerWidth < 576);
  await Promise.all(files.map((file, number) => file.load(data.recordings[number])));
  while (!isSceneBuilt()) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const file of files) addJoints(file);
  addLayers();
  for (const file of files) file.onValues();
  if (data.times.length > 0) addTimeline(data.times);
  fitWindow();
  window.ossature = { files, data }; // for scripts of the page
})();
