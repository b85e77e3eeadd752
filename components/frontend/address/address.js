// The browser's history and this tab's storage.
//
// Streamlit pushes an entry at every change of the query parameters. Here only a change of what the app calls an entry
// (a sentence, a model …) is pushed: what a page writes into its address in the run that opens it, or after Back until the
// user does something, belongs to the entry that one is at. Any other change replaces it.
//
// Back on the same page is reported to the app as the address that the browser is at now; Streamlit would run the page
// with it, too, but the app could not tell that run from one that began before the last change had arrived. While another
// page is on its way nothing can be reported: Streamlit would take it for a wish to stay on the page that is left.
import { keepInTab, keptInTab, SECRET } from "./tab.js";

// `opening`: the run that opens a page is not over; `went`: nothing was done since Back or Forward; `path`: of the page that
// is wanted; `drawn`: of the one that is there; `late`: the query that Back led to on a page that was not there yet;
// `unheard`: the app has been told something and may not know it; `held`: the link whose click waits until it does;
// `passing`: that click goes through
const shared = {
  data: null, tell: () => {}, asked: new Set(),
  opening: true, went: false, path: "", drawn: "", late: null, unheard: false, held: null, passing: false,
};

const HELD_MOST = 600; // milliseconds: a link that does nothing would be worse than a lost step

export default function addressComponent({ data, setTriggerValue }) {
  if (data.page !== shared.data?.page) shared.drawn = location.pathname;
  const heard = data.run !== shared.data?.run;
  shared.data = data;
  shared.tell = setTriggerValue;
  if (!history.pushState.entries) watchHistory();
  if (heard) hear();
  if (shared.late !== null && isHere()) wentTo(shared.late);
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
  for (const kind of ["pointerdown", "keydown", "click"]) addEventListener(kind, somethingIsDone, true);
  document.addEventListener("click", holdLink, true);
  watchRuns();
  watchMessages();
}

function somethingIsDone() {
  shared.went = false;
  lookAtRun(); // on a busy machine React draws a whole run at once: its end is no change of the attribute that is watched
}

/** A run writes the address before it ends, so that its end is the end of the opening. */
function watchRuns() {
  lookAtRun();
  const filter = { attributes: true, attributeFilter: ["data-test-script-state"] };
  if (theApp()) new MutationObserver(lookAtRun).observe(theApp(), filter);
}

function lookAtRun() {
  if (theApp()?.dataset.testScriptState === "notRunning") shared.opening = false;
}

function theApp() {
  return document.querySelector("[data-testid=stApp]");
}

/** Whether two queries differ in a parameter that is an entry. */
function differs(one, other) {
  const [a, b] = [new URLSearchParams(one), new URLSearchParams(other)];
  return shared.data.entry.some((name) => a.get(name) !== b.get(name));
}

function wentInHistory(event) {
  shared.went = true;
  shared.late = null;
  const stays = location.pathname === shared.path;
  shared.path = location.pathname;
  if (!stays) return; // Streamlit opens the page at this address
  event.stopImmediatePropagation();
  if (isHere()) wentTo(location.search);
  else shared.late = location.search; // the page that comes will write its own address over this one
}

function wentTo(search) {
  shared.late = null;
  shared.tell("went", search);
}

/** Whether the page at the browser's address is the one that was drawn. */
function isHere() {
  return location.pathname === shared.drawn;
}

/**
 * Streamlit tells the app of a change a moment later, of a click on a link at once, and what arrives while another page
 * is on its way is lost or calls the old page back. So a click on a link goes through when the app has heard of all that
 * was done before it.
 */
function holdLink(event) {
  const link = event.target.closest?.("a[data-testid^=stPageLink]");
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || shared.passing || elsewhere) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // a field that loses the focus sets its timer after the first of these
  setTimeout(() => setTimeout(hold, 0, link), 0);
}

function hold(link) {
  shared.held = link;
  if (!shared.unheard) pass(link);
  else setTimeout(pass, HELD_MOST, link);
}

/** Let the held click go through, if it is still this one. */
function pass(link) {
  if (!link || shared.held !== link) return;
  shared.held = null;
  shared.passing = true;
  link.click();
  shared.passing = false;
}

/** A run that draws this has heard what the message had to say that asked for it. */
function hear() {
  shared.unheard = false;
  pass(shared.held);
}

/** Every message of Streamlit's asks for a run. */
function watchMessages() {
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (...message) {
    shared.unheard = true;
    return send.apply(this, message);
  };
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
