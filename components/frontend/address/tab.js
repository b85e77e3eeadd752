// What this tab keeps beyond a reload. Without storage (it may be switched off or full) nothing is kept, and all works.

export const SECRET = "tab";
const TAB_PREFIX = "attention-microscope.";
const TAB_KEPT = 12; // texts; the oldest go first

export function keepInTab(name, text) {
  if (keptInTab(name) === text) return;
  const others = keptNames().filter((other) => other !== name);
  while (others.length >= TAB_KEPT) forgetInTab(others.shift());
  for (;;) {
    try {
      sessionStorage.setItem(TAB_PREFIX + name, text);
      rememberNames(name === SECRET ? others : [...others, name]);
      return;
    } catch {
      if (!others.length) return; // too large, or no storage at all
      forgetInTab(others.shift());
    }
  }
}

export function keptInTab(name) {
  try {
    return sessionStorage.getItem(TAB_PREFIX + name);
  } catch {
    return null;
  }
}

/** Names of the kept texts, oldest first. */
function keptNames() {
  try {
    return JSON.parse(keptInTab("names") ?? "[]").filter((name) => typeof name === "string");
  } catch {
    return []; // somebody else wrote there
  }
}

function rememberNames(names) {
  sessionStorage.setItem(TAB_PREFIX + "names", JSON.stringify(names));
}

function forgetInTab(name) {
  sessionStorage.removeItem(TAB_PREFIX + name);
}
