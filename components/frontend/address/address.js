// The browser's history and this tab's storage.
//
// Streamlit pushes an entry at every change of the query parameters. Here only a change of what the app calls an entry
// (a sentence, a model …) is pushed: what a page writes into its address in the run that opens it, or after Back until the
// user does something, belongs to the entry that one is at. Any other change replaces it.
//
// Back on the same page is reported to the app as the address that the browser is at now; Streamlit would run the page
// with it, too, but the app could not tell that run from one that began before the last change had arrived.
import { keepInTab, keptInTab, SECRET } from "./tab.js";

// `opening`: the run that opens a page is not over; `went`: nothing was done since Back or Forward
const shared = { data: null, tell: () => {}, opening: true, went: false, path: "", asked: new Set() };

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
    // the app is about to lead to another page: Streamlit gives this page the other one's query first
    if (!leaves && there.searchParams.has(shared.data.link)) return undefined;
    const entry = leaves || (!shared.opening && !shared.went && differs(there.search, location.search));
    shared.path = there.pathname;
    shared.opening ||= leaves;
    return entry ? push(state, title, url) : history.replaceState(state, title, url);
  };
  history.pushState.entries = true;
  addEventListener("popstate", wentInHistory, true); // before Streamlit's own listener
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (shared.went = false), true);
  watchRuns();
}

/** A run writes the address before it ends, so that its end is the end of the opening. */
function watchRuns() {
  const app = document.querySelector("[data-testid=stApp]");
  const look = () => {
    if (app?.dataset.testScriptState === "notRunning") shared.opening = false;
  };
  look();
  if (app) new MutationObserver(look).observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
}

/** Whether two queries differ in a parameter that is an entry. */
function differs(one, other) {
  const [a, b] = [new URLSearchParams(one), new URLSearchParams(other)];
  return shared.data.entry.some((name) => a.get(name) !== b.get(name));
}

function wentInHistory(event) {
  shared.went = true;
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
