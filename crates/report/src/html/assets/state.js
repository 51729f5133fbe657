// The state of the view, kept in the URL so that it can be shared.
//
//   #status=fail,error&q=refund&tag=money      the table, filtered
//   #c12&run=2&step=5                          step 5 of run 2 of case 12

const EMPTY = {
  case: 0, run: 0, step: null, q: "", status: [], tag: "", file: "", group: "", flaky: false, changed: false, sort: "",
};
let state = { ...EMPTY };
let later = 0;
/** The hash of the URL as last read or written. */
let seen = "";

function readAddress() {
  const read = { ...EMPTY };
  seen = location.hash;
  for (const part of location.hash.slice(1).split("&")) {
    const [key, value = ""] = part.split(/=(.*)/s);
    const number = Number.parseInt(value, 10);
    if (/^c\d+$/.test(key)) read.case = Number(key.slice(1));
    else if (key === "run" && number > 0) read.run = number;
    else if (key === "step" && number > 0) read.step = number - 1;
    else if (key === "status") read.status = value.split(",").filter((word) => word in MARKS);
    else if (key === "flaky" || key === "changed") read[key] = true;
    else if (["q", "tag", "file", "group", "sort"].includes(key)) read[key] = plain(value);
  }
  return read;
}

function plain(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function address(at) {
  const parts = [];
  if (at.case) parts.push(`c${at.case}`);
  if (at.case && at.run) parts.push(`run=${at.run}`);
  if (at.case && at.step !== null) parts.push(`step=${at.step + 1}`);
  if (at.status.length) parts.push(`status=${at.status.join(",")}`);
  for (const key of ["q", "tag", "file", "group", "sort"]) {
    if (at[key]) parts.push(`${key}=${encodeURIComponent(at[key])}`);
  }
  for (const key of ["flaky", "changed"]) if (at[key]) parts.push(key);
  return `#${parts.join("&")}`;
}

/** The URL of a case; the filter of the table is kept. */
function caseAddress(number) {
  return address({ ...state, case: number, run: 0, step: null });
}

/** Navigates, with an entry in the browser history. */
function go(changes) {
  clearTimeout(later);
  location.hash = address({ ...state, ...changes });
}

/** Changes the state while typing or stepping: shown at once, and the URL follows. */
function adjust(changes) {
  state = { ...state, ...changes };
  clearTimeout(later);
  later = setTimeout(() => {
    // The user may have navigated since, which is not handled yet.
    if (location.hash !== seen) return;
    history.replaceState(null, "", address(state));
    seen = location.hash;
  }, 150);
}
