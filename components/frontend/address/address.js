// The browser's history and this tab's storage.
//
// Streamlit pushes an entry at every change of the query parameters. Here only a change of what the app calls an entry
// (a sentence, a model …) is pushed, and only once the user has done something: what a page writes into its address when
// it is opened, or after Back, belongs to the entry that one is at. Any other change replaces it.
//
// Back on the same page is reported to the app as the address that the browser is at now; Streamlit would run the page
// with it, too, but the app could not tell that run from one that began before the last change had arrived.
import { keepInTab, keptInTab, SECRET } from "./tab.js";

const shared = { data: null, tell: () => {}, quiet: true, path: "", asked: new Set() };

export default function addressComponent({ data, setTriggerValue }) {
  shared.data = data;
  shared.tell = setTriggerValue;
  if (!history.pushState.entries) watchHistory();
  if (data.keep.length) keepInTab(...data.keep);
  if (data.wanted) answerWanted(data.wanted);
  compareSecrets(data.tab);
}

function watchHistory() {
  const push = history.pushState.bind(history);
  shared.path = location.pathname;
  history.pushState = (state, title, url) => {
    const there = new URL(url ?? "", location.href);
    const leaves = there.pathname !== location.pathname;
    const entry = leaves || (!shared.quiet && differs(there.search, location.search));
    shared.path = there.pathname;
    shared.quiet ||= leaves;
    return entry ? push(state, title, url) : history.replaceState(state, title, url);
  };
  history.pushState.entries = true;
  addEventListener("popstate", wentInHistory, true); // before Streamlit's own listener
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (shared.quiet = false), true);
}

/** Whether two queries differ in a parameter that is an entry. */
function differs(one, other) {
  const [a, b] = [new URLSearchParams(one), new URLSearchParams(other)];
  return shared.data.entry.some((name) => a.get(name) !== b.get(name));
}

function wentInHistory(event) {
  shared.quiet = true;
  const stays = location.pathname === shared.path;
  shared.path = location.pathname;
  if (!stays) return; // Streamlit opens the page at this address
  event.stopImmediatePropagation();
  shared.tell("went", location.search);
}

/** Tell the app what the tab has under a name; once, also if it has nothing. */
function answerWanted(name) {
  if (shared.asked.has(name)) return;
  shared.asked.add(name);
  shared.tell("found", { name, text: keptInTab(name) });
}

/** The app's secret is kept; a tab that was loaded again tells the one that it has. */
function compareSecrets(tab) {
  const kept = keptInTab(SECRET);
  if (tab) {
    if (tab !== kept) keepInTab(SECRET, tab);
  } else if (kept && !shared.asked.has(SECRET)) {
    shared.asked.add(SECRET);
    shared.tell("tab", kept);
  }
}
