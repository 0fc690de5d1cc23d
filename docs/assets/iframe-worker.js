// The search runs in a worker, which browsers refuse for pages that are opened as files: there it runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.receive = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      frame.srcdoc = `<script>self.postMessage = (data) => frameElement.receive(data)</script><script src="${url}"></script>`;
      document.body.append(frame);
      this.frame = frame;
    }

    postMessage(data) {
      this.loaded.then((window) => window.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
