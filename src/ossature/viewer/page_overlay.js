// The parts of the page that viser has no elements for: title, axis gizmo, keyboard help, narrow windows, and the open tab
// after a reload.
// Called with {title, up, keys}: the title of the tab, the up vector, and the keys with what they do.
(function (page) {
  document.title = page.title;
  const previous = window.__ossature;
  const state = (window.__ossature = previous || { openTab: null });
  state.page = page;
  if (previous) return;

  const labelOf = (tab) => tab.textContent.trim();
  // In wide windows viser's tabs are selected by keys, or by a pointer that is pressed and released, in narrow ones by clicks.
  const selectTab = (tab) => {
    tab.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    tab.click();
  };

  // Narrow windows: viser's panel at the lower edge covers the scene, which gets the space above it instead

  const narrowPanel = 'div[style*="position: fixed"][style*="max-height: 60%"]';
  const style = document.createElement("style");
  style.textContent = `
    ${narrowPanel} { width: 100% !important; max-height: 50% !important; }
    ${narrowPanel} div[style*="width: 20em"] { width: 100% !important; }
  `;
  document.head.appendChild(style);
  let panel = null;
  const leaveSpace = () => {
    const height = panel && panel.isConnected ? panel.getBoundingClientRect().height : 0;
    document.documentElement.style.setProperty("--ossature-panel", `${height}px`);
    const canvas = document.querySelector("canvas[data-engine]");
    const scene = canvas && canvas.closest('div[style*="flex-grow: 1"][style*="background-color"]');
    if (scene) scene.style.setProperty("height", `calc(100% - ${height}px)`, "important");
  };
  const panelSize = new ResizeObserver(leaveSpace);
  new MutationObserver(() => {
    const found = document.querySelector(narrowPanel);
    if (found === panel) return;
    if (panel) panelSize.unobserve(panel);
    panel = found;
    if (panel) panelSize.observe(panel);
    leaveSpace();
  }).observe(document.body, { childList: true, subtree: true });

  // Plots: the pale curves after the time of a recording have no names, and need no rows in the legend

  const hideRows = () => {
    for (const label of document.querySelectorAll(".u-legend .u-label")) {
      const row = label.closest(".u-series");
      if (row) row.style.display = label.textContent.trim() ? "" : "none";
    }
  };
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      hideRows();
    });
  }).observe(document.body, { childList: true, subtree: true });

  // Keyboard help

  const make = (name, style, text) => {
    const element = document.createElement(name);
    element.style.cssText = style;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const dialog = make(
    "dialog",
    "border:0;border-radius:8px;padding:1.2em 1.6em;font:14px sans-serif;box-shadow:0 4px 30px rgba(0,0,0,0.35);color:#222;background:#fff",
  );
  dialog.id = "ossature-help";
  document.body.appendChild(dialog);
  const showHelp = () => {
    dialog.replaceChildren(make("b", "font-size:1.1em", "Keyboard and mouse"));
    const table = make("table", "border-spacing:0 0.25em;margin-top:0.6em");
    for (const [key, effect] of state.page.keys) {
      const row = document.createElement("tr");
      row.appendChild(make("td", "padding-right:1.6em;white-space:nowrap;font-weight:600", key));
      row.appendChild(make("td", "", effect));
      table.appendChild(row);
    }
    dialog.appendChild(table);
    dialog.showModal();
  };
  dialog.addEventListener("click", () => dialog.close());
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !dialog.open) return;
      event.stopPropagation(); // viser's key for deselecting prevents what the browser does
      dialog.close();
    },
    true,
  );
  const isText = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || (isText(event.target) && event.target.type !== "range")) return;
    if (dialog.open) dialog.close();
    else showHelp();
  });

  // Dropped files: states and recordings are loaded as by their buttons; without this the browser leaves the page

  const buttonFor = (name) => {
    if (/\.usdf$/i.test(name)) return "Load state…";
    return /\.(json|csv|parquet)$/i.test(name) ? "Load recording…" : null;
  };
  const openPanel = (label) => {
    const tab = [...document.querySelectorAll('[role="tab"]')].find((found) => labelOf(found) === label);
    if (!tab || tab.getAttribute("aria-selected") === "true") return;
    state.openTab = label;
    selectTab(tab);
  };
  const load = (files, label, trials) => {
    const button = [...document.querySelectorAll("button")].find((found) => found.textContent.trim() === label);
    const input = button && button.parentElement.querySelector('input[type="file"]');
    if (input) {
      input.files = files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (trials > 0) {
      openPanel("Simulate"); // its elements exist only while it is open
      setTimeout(() => load(files, label, trials - 1), 200);
    }
  };
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = event.dataTransfer && event.dataTransfer.files;
    if (!files || files.length === 0) return;
    const label = buttonFor(files[0].name);
    if (label) {
      load(files, label, 50);
      return;
    }
    dialog.replaceChildren(make("div", "", `${files[0].name} is neither a state (.usdf) nor a recording: open models with "ossature view"`));
    if (!dialog.open) dialog.showModal();
  });

  // Tab: a reloaded model has new panels, of which the first tab is open

  let known = null;
  let isPending = false;
  document.addEventListener(
    "click",
    (event) => {
      const tab = event.target instanceof Element && event.isTrusted ? event.target.closest('[role="tab"]') : null;
      if (tab) {
        state.openTab = labelOf(tab);
        isPending = false;
      }
      // What was clicked keeps the focus, and would take the space bar.
      const isClicked = event.detail > 0 && event.target instanceof Element;
      const takesSpace = '[role="tab"], [role="option"], button, input[type="checkbox"]';
      if (isClicked && event.target.closest(takesSpace)) setTimeout(() => document.activeElement.blur(), 0);
    },
    true,
  );
  new MutationObserver(() => {
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    const first = tabs[0] || null;
    if (first !== known) isPending = first !== null && state.openTab !== null; // the panels are new
    known = first;
    if (!isPending) return;
    const wanted = tabs.find((tab) => labelOf(tab) === state.openTab);
    if (!wanted) return; // the tabs are added one by one
    if (wanted.getAttribute("aria-selected") === "true") {
      isPending = false;
      return;
    }
    // A tab may be too new to listen.
    const select = () => {
      if (!isPending || !wanted.isConnected || wanted.getAttribute("aria-selected") === "true") return;
      selectTab(wanted);
      setTimeout(select, 100);
    };
    setTimeout(select, 0);
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-selected"] });

  // Axis gizmo: the axes of the world as the camera sees them; viser exposes its camera to scripts of the page

  const gizmo = make("canvas", "position:fixed;left:10px;bottom:calc(10px + var(--ossature-panel, 0px));width:84px;height:84px;pointer-events:none;z-index:5");
  gizmo.id = "ossature-axes";
  gizmo.width = gizmo.height = 168;
  document.body.appendChild(gizmo);
  const context = gizmo.getContext("2d");
  const axes = [
    ["x", "#db3331", 0],
    ["y", "#33a640", 1],
    ["z", "#2866e0", 2],
  ];
  let last = "";
  const drawAxes = () => {
    requestAnimationFrame(drawAxes);
    const viewer = window.__viserMutable;
    const root = viewer && viewer.nodeRefFromName && viewer.nodeRefFromName[""];
    if (!viewer || !viewer.camera || !root) return;
    // Rows of the view matrix times columns of the matrix of the root: axes of the world in those of the camera.
    const view = viewer.camera.matrixWorldInverse.elements;
    const world = root.matrixWorld.elements;
    const seen = axes.map(([name, color, column]) => {
      const direction = [0, 1, 2].map((row) => {
        let sum = 0;
        for (let i = 0; i < 3; i++) sum += view[4 * i + row] * world[4 * column + i];
        return sum;
      });
      return { name, color, direction };
    });
    const key = seen.map((axis) => axis.direction.map((value) => value.toFixed(3)).join()).join();
    if (key === last) return;
    last = key;
    context.clearRect(0, 0, 168, 168);
    context.lineWidth = 5;
    context.font = "bold 24px sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const axis of seen.sort((one, other) => one.direction[2] - other.direction[2])) {
      const [x, y] = [84 + 54 * axis.direction[0], 84 - 54 * axis.direction[1]];
      context.strokeStyle = context.fillStyle = axis.color;
      context.beginPath();
      context.moveTo(84, 84);
      context.lineTo(x, y);
      context.stroke();
      context.fillText(axis.name, 84 + 72 * axis.direction[0], 84 - 72 * axis.direction[1]);
    }
  };
  drawAxes();
})
