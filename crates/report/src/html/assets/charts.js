// Small charts.

/** A bar for each run: its duration, in the color of its status. */
function runBars(ends, selected, choose) {
  const longest = Math.max(...ends.map((end) => end.wall_ms), 1);
  const bars = ends.map((end, at) => {
    const height = Math.max(4, Math.round((end.wall_ms / longest) * 36));
    return svg(`rect.${end.status}${at + 1 === selected ? ".chosen" : ""}`, {
      x: at * 14 + 2, y: 40 - height, width: 10, height, rx: 2, onclick: () => choose(at + 1),
    }, svg("title", {}, `run ${at + 1}: ${end.status}, ${duration(end.wall_ms)}`));
  });
  const passed = ends.filter((end) => end.status === "pass").length;
  const label = `${passed} of ${plural(ends.length, "run")} passed; the longest took ${duration(longest)}`;
  return svg("svg.runbars", { viewBox: `0 0 ${ends.length * 14} 40`, width: ends.length * 14, height: 40, role: "img", "aria-label": label }, bars);
}

/** The pass rate after each run. */
function passRateLine(ends) {
  let passed = 0;
  const points = ends.map((end, at) => {
    passed += end.status === "pass" ? 1 : 0;
    return [at * 14 + 7, 38 - (passed / (at + 1)) * 34];
  });
  const rate = percentage(passed / ends.length);
  return svg("svg.rateline", {
    viewBox: `0 0 ${ends.length * 14} 40`, width: ends.length * 14, height: 40, role: "img", "aria-label": `pass rate ${rate}`,
  },
  svg("line", { x1: 0, x2: ends.length * 14, y1: 38, y2: 38 }),
  svg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
  points.map(([x, y], at) => svg(`circle.${ends[at].status}`, { cx: x, cy: y, r: 3 })));
}

/** The expected and the actual number on one scale. Shares, such as a similarity, use a scale from 0 to 1. */
function gauge(expected, actual, status = "failed") {
  const share = [expected, actual].every((number) => number >= 0 && number <= 1);
  const [low, high] = share ? [0, 1] : [Math.min(0, expected, actual), Math.max(expected, actual, 0)];
  const scale = (number) => (high === low ? 0 : ((number - low) / (high - low)) * 196) + 2;
  return svg(`svg.gauge.${status}`, { viewBox: "0 0 200 14", width: 200, height: 14, role: "img", "aria-label": `${actual}, expected ${expected}` },
    svg("rect.track", { x: 2, y: 5, width: 196, height: 4, rx: 2 }),
    svg("rect.actual", { x: 2, y: 5, width: Math.max(2, scale(actual) - 2), height: 4, rx: 2 }),
    svg("line.expected", { x1: scale(expected), x2: scale(expected), y1: 1, y2: 13 }));
}

/** A gauge of the similarity and the threshold that a check reports. */
function similarity(check) {
  const number = (word) => Number(new RegExp(`${word}\\D{0,12}([01](?:\\.\\d+)?)`, "i").exec(check.measured ?? check.message ?? "")?.[1] ?? NaN);
  const [actual, expected] = [number("similarity"), number("threshold")];
  return Number.isFinite(actual) && Number.isFinite(expected) ? gauge(expected, actual, check.status) : null;
}
