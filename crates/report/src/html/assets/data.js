// The data of the page: packed into inert elements, and unpacked on demand.

async function unpack(id) {
  const binary = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** The table data: repeated names, the groups of failures, whether there is a baseline, and the rows of all cases. */
const report = { files: [], tags: [], groups: [], baseline: false, cases: [], byNumber: new Map() };

async function loadTable() {
  const table = await unpack("table");
  report.files = table.files;
  report.tags = table.tags;
  report.groups = table.groups;
  report.baseline = table.baseline;
  report.cases = table.cases.map((row, at) => {
    const [number, id, status, wall, calls, held, checks, runs, passed, file, tags, tools, why, change] = row;
    const words = tags.map((tag) => table.tags[tag]);
    return {
      number, id, status, wall, calls, held, checks, runs, passed, why, change,
      file: table.files[file],
      tags: words,
      group: "",
      flaky: runs > 1 && passed > 0 && status !== "pass",
      block: table.blocks[at],
      text: [id, why, table.files[file], ...words, ...tools.map((tool) => table.tools[tool])].join("\n").toLowerCase(),
    };
  });
  report.byNumber = new Map(report.cases.map((row) => [row.number, row]));
  for (const { title, cases } of report.groups) {
    for (const number of cases) report.byNumber.get(number).group = title;
  }
}

const blocks = new Map();

/** The details of a case; null if they did not fit into the page. */
async function loadDetail(row) {
  if (row.block < 0) return null;
  if (!blocks.has(row.block)) blocks.set(row.block, unpack(`block-${row.block}`));
  const cases = await blocks.get(row.block);
  return cases.find((detail) => detail.number === row.number) ?? null;
}

/** The steps of an attempt in order; omitted steps are replaced by a step of kind `gap`. */
function stepsOf(attempt) {
  if (!attempt) return [];
  const { first, last, left_out: missing } = attempt.steps;
  const gap = missing ? [{ kind: "gap", at: (first.at(-1) ?? last[0] ?? { at: 0 }).at, count: missing }] : [];
  return [...first, ...gap, ...last];
}
