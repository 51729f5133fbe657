// Elements and texts. Untrusted text only ever becomes a text node.

/** Control characters and marks that reorder a line: they are shown as escapes. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;

function visible(text) {
  return String(text).replace(HIDDEN, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
}

function oneLine(text) {
  return visible(String(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t"));
}

/** `el("p.quiet", { title: "x", onclick: go }, "words", another)`: an element with classes, attributes and children. */
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, attributes, children);
}

/** The same for an SVG element. */
function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return fill(element, attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : visible(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : visible(child));
  }
}

function plural(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count.toLocaleString("en")} ${noun}s`;
}

/** `87.5 %`: a fraction, rounded to tenths. Only 0 is `0 %`, and only 1 is `100 %`: others close to these get more decimals. */
function percentage(fraction) {
  const exact = fraction * 100;
  for (let decimals = 1; decimals <= 9; decimals += 1) {
    const shown = Number(exact.toFixed(decimals));
    if ([0, 100].every((limit) => shown !== limit || Math.abs(exact - limit) < 1e-9)) return `${shown} %`;
  }
  return `${exact} %`;
}

/** `56 ms`, `30.0 s`, `2 min 5 s` */
function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const MARKS = { pass: "✓", fail: "✗", error: "!", skipped: "–", held: "✓", failed: "✗", not_evaluated: "–" };

/** A status as a mark and a word, so that it does not depend on color alone. */
function badge(status, word = status) {
  return el(`span.badge.${status}`, {}, el("span.mark", { "aria-hidden": "true" }, MARKS[status] ?? "·"), word);
}

function button(words, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, words);
}
