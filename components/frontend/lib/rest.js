// What was chosen is told to Python when the hand rests; at once when the reader turns to something else or leaves.

/**
 * `root` is the component's element: touching anything outside of it, pressing Tab or Enter (a link has the focus),
 * hiding the tab or taking the component down counts as leaving.
 */
export class Rest {
  constructor(root, ms) {
    this.ms = ms;
    const outside = (event) => event.composedPath().includes(root) || this.now();
    const keys = (event) => ["Tab", "Enter"].includes(event.key) && this.now();
    const hidden = () => document.visibilityState === "hidden" && this.now();
    const now = () => this.now();
    const heard = [
      [window, "pointerdown", outside],
      [window, "click", outside],
      [document, "keydown", keys],
      [document, "visibilitychange", hidden],
      [window, "pagehide", now],
      // Back: a report would begin a run of the page that is left, which would push its address once more
      [window, "popstate", () => this.drop()],
    ];
    // capture, and on the window: before anything hears of a click on a link (address.js holds it until this is told)
    for (const [target, type, listener] of heard) target.addEventListener(type, listener, true);
    this.forget = () => heard.forEach(([target, type, listener]) => target.removeEventListener(type, listener, true));
  }

  /** Whether something has not been told yet. */
  get pending() {
    return Boolean(this.tell);
  }

  /** Call `tell` when nothing else is chosen for a while; what was to be told before is dropped. */
  later(tell) {
    clearTimeout(this.timer);
    this.tell = tell;
    this.timer = setTimeout(() => this.now(), this.ms);
  }

  /** Tell it now, if there is anything to be told. */
  now() {
    clearTimeout(this.timer);
    const { tell } = this;
    this.tell = null;
    tell?.();
  }

  /** What was to be told is of no interest any more. */
  drop() {
    clearTimeout(this.timer);
    this.tell = null;
  }

  stop() {
    this.now();
    this.forget();
  }
}
