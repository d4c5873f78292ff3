// What a page shows in the browser's history: each view that somebody made is an entry, so that Back returns to it.

const SETTLED_MS = 300;

export class ViewHistory {
  /**
   * `read()` returns what is shown, `{key, …}`, or null while it changes; with another key it is another view, else it
   * only has another time. `address(state)` returns its address, and `restore(state)` shows it again.
   */
  constructor({ read, address, restore }) {
    Object.assign(this, { read, address, waiting: 0, isRestoring: false });
    window.addEventListener("popstate", async ({ state }) => {
      if (!state?.key) return;
      clearTimeout(this.waiting);
      this.isRestoring = true;
      await restore(state).finally(() => (this.isRestoring = false));
    });
  }

  /** Save what is shown as soon as it stays for a moment. */
  touch() {
    if (this.isRestoring) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.save(), SETTLED_MS);
  }

  save() {
    const state = this.isRestoring ? null : this.read();
    if (!state) return;
    const isOther = history.state?.key && history.state.key !== state.key;
    history[isOther ? "pushState" : "replaceState"](state, "", this.address(state));
  }
}
