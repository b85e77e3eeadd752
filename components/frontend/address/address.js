// One entry of the browser's history per page of the app.
//
// Streamlit pushes an entry at every change of the query parameters, and an app that keeps its state in them answers
// the Back button by writing the newer ones again: Back would never leave the page. Here a change of parameters
// replaces the entry, so Back goes to the page of the app, or the site, that was open before.

export default function addressComponent() {
  if (history.pushState.replacesParameters) return;
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const samePage = new URL(url ?? "", location.href).pathname === location.pathname;
    return samePage ? history.replaceState(state, title, url) : push(state, title, url);
  };
  history.pushState.replacesParameters = true;
}
