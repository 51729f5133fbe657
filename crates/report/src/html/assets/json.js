// Parses JSON that may be truncated anywhere, and keeps numbers as written.

const DEPTH = 200;

/** A node: `{ type, value }` for a string, number or word, `{ type, entries }` for an object or list; `cut` if it is truncated. */
function readJson(text) {
  const reader = { text, at: 0 };
  const node = readValue(reader, 0);
  skipBlank(reader);
  if (!node || reader.at < text.length) return { type: "raw", value: text, cut: false };
  return node;
}

function skipBlank(reader) {
  while (" \t\r\n".includes(reader.text[reader.at] ?? "x")) reader.at += 1;
}

function readValue(reader, depth) {
  skipBlank(reader);
  const mark = reader.text[reader.at];
  if (mark === undefined) return { type: "word", value: "", cut: true };
  if (depth > DEPTH) return null;
  if (mark === "{" || mark === "[") return readEntries(reader, mark, depth);
  if (mark === '"') return readText(reader);
  const [word] = /^[-+.\w]*/.exec(reader.text.slice(reader.at, reader.at + 5000));
  if (!word) return null;
  reader.at += word.length;
  const number = /^-?\d/.test(word);
  return { type: number ? "number" : "word", value: word, cut: false };
}

function readEntries(reader, opening, depth) {
  const keyed = opening === "{";
  const node = { type: keyed ? "object" : "list", entries: [], cut: false };
  reader.at += 1;
  for (;;) {
    skipBlank(reader);
    const mark = reader.text[reader.at];
    if (mark === undefined) return { ...node, cut: true };
    if (mark === (keyed ? "}" : "]")) {
      reader.at += 1;
      return node;
    }
    if (mark === "," && node.entries.length) {
      reader.at += 1;
      continue;
    }
    let key = String(node.entries.length);
    if (keyed) {
      if (mark !== '"') return null;
      const name = readText(reader);
      skipBlank(reader);
      if (reader.text[reader.at] === undefined) return { ...node, cut: true };
      if (reader.text[reader.at] !== ":") return null;
      reader.at += 1;
      key = name.value;
    }
    const value = readValue(reader, depth + 1);
    if (!value) return null;
    node.entries.push([key, value]);
  }
}

function readText(reader) {
  const from = reader.at;
  let to = from + 1;
  while (to < reader.text.length && reader.text[to] !== '"') to += reader.text[to] === "\\" ? 2 : 1;
  reader.at = Math.min(to + 1, reader.text.length);
  if (to < reader.text.length) {
    try {
      return { type: "text", value: JSON.parse(reader.text.slice(from, to + 1)), cut: false };
    } catch {
      return { type: "text", value: reader.text.slice(from + 1, to), cut: false };
    }
  }
  // It is truncated, perhaps in the middle of an escape.
  for (const end of [0, 1, 2, 3, 4, 5, 6]) {
    try {
      return { type: "text", value: JSON.parse(`${reader.text.slice(from, reader.text.length - end)}"`), cut: true };
    } catch {
      continue;
    }
  }
  return { type: "text", value: "", cut: true };
}

/** The beginning of a value on one line. */
function preview(node, length = 120) {
  const line = oneLine(shortForm(node, length));
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

function shortForm(node, room) {
  if (node.type === "text") return JSON.stringify(node.value.slice(0, room));
  if (!node.entries) return node.value.slice(0, room);
  const parts = [];
  let left = room;
  for (const [key, value] of node.entries) {
    const part = (node.type === "object" ? `${key}: ` : "") + shortForm(value, left);
    parts.push(part);
    left -= part.length;
    if (left < 0) break;
  }
  const inside = parts.join(", ");
  return node.type === "object" ? `{ ${inside} }` : `[${inside}]`;
}
