// One EventTarget for the whole page: components that show the same thing light up together, without a round trip.

const pageBus = (globalThis.__attentionMicroscopeBus ??= new EventTarget());

/** Tell everyone who listens on `channel` (a name the Python side gives to components that belong together). */
export function announce(channel, type, detail) {
  if (channel) pageBus.dispatchEvent(new CustomEvent(`${channel}/${type}`, { detail }));
}

/** Call `handler(detail)` for every announcement of this type; returns a function that stops it. */
export function listen(channel, type, handler) {
  if (!channel) return () => {};
  const listener = (event) => handler(event.detail);
  pageBus.addEventListener(`${channel}/${type}`, listener);
  return () => pageBus.removeEventListener(`${channel}/${type}`, listener);
}
