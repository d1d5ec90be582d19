const WIDTH = 640;
const HEIGHT = 300;
const FRAME = { left: 56, right: 170, top: 34, bottom: 40 };
const COLOURS = [
  '#c2410c',
  '#1d4ed8',
  '#15803d',
  '#7e22ce',
  '#0e7490',
  '#a16207',
  '#be185d',
  '#334155',
  '#000000',
];

/**
 * Lines of mean seconds over load, on a scale of powers, as SVG that can be read on light and dark pages.
 *
 * @param series `[{name, points: [[load, seconds], …]}]`
 */
export function lineChart(title, series) {
  const values = series.flatMap(({ points }) => points.map(([, seconds]) => seconds));
  const loads = series[0].points.map(([load]) => load);
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  const x = (load) =>
    FRAME.left + ((load - loads[0]) / (loads.at(-1) - loads[0])) * (WIDTH - FRAME.left - FRAME.right);
  const y = (seconds) =>
    HEIGHT -
    FRAME.bottom -
    ((Math.log(seconds) - low) / (high - low || 1)) * (HEIGHT - FRAME.top - FRAME.bottom);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${FRAME.left}" y="20" font-size="14" fill="#111827">${title}</text>`,
    ...ticks(low, high).map((seconds) => grid(seconds, y(seconds))),
    ...loads.map(
      (load) =>
        `<text x="${x(load)}" y="${HEIGHT - 16}" text-anchor="middle" fill="#374151">${Math.round(load * 100)} %</text>`,
    ),
    ...series.map((line, at) => drawn(line, COLOURS[at % COLOURS.length], x, y)),
    ...legend(series, y),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function ticks(low, high) {
  return [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter(
    (value) => Math.log(value) >= low && Math.log(value) <= high,
  );
}

function grid(seconds, at) {
  const right = WIDTH - FRAME.right;
  return (
    `<line x1="${FRAME.left}" x2="${right}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#e5e7eb"/>` +
    `<text x="${FRAME.left - 6}" y="${(at + 4).toFixed(1)}" text-anchor="end" fill="#374151">${seconds} s</text>`
  );
}

function drawn({ points }, colour, x, y) {
  const path = points.map(([load, seconds]) => `${x(load).toFixed(1)},${y(seconds).toFixed(1)}`).join(' ');
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`;
}

/** Names at the ends of their lines, pushed apart where they would lie on each other. */
function legend(series, y) {
  const ends = series.map(({ name, points }, at) => ({
    name,
    colour: COLOURS[at % COLOURS.length],
    y: y(points.at(-1)[1]) + 4,
  }));
  ends.sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => {
    if (at > 0) end.y = Math.max(end.y, ends[at - 1].y + 13);
  });
  const over = (ends.at(-1)?.y ?? 0) - (HEIGHT - FRAME.bottom + 8);
  const up = Math.max(0, over);
  return ends.map(
    (end) =>
      `<text x="${WIDTH - FRAME.right + 6}" y="${(end.y - up).toFixed(1)}" fill="${end.colour}">${end.name}</text>`,
  );
}
