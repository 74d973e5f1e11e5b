// Drawings. Colours come from the style sheet, and each drawing has its numbers as text too.

import { el, svg } from "./dom.js";
import { number, t } from "./strings.js";

/**
 * One bar in parts, with a legend.
 * @param {string} label
 * @param {{ name: string, value: number, tone: string }[]} parts
 */
export function stacked(label, parts) {
  const shown = parts.filter((part) => part.value > 0);
  const all = shown.reduce((sum, part) => sum + part.value, 0) || 1;
  const width = 600;
  let at = 0;
  const bars = shown.map((part) => {
    const wide = Math.max(3, (width * part.value) / all);
    const bar = svg("rect", { class: `tone-${part.tone}`, x: at, y: 0, width: Math.max(1, wide - 2), height: 18, rx: 3 });
    at += wide;
    return bar;
  });
  const words = shown.map((part) => `${part.name}: ${number(part.value)}`).join(", ");
  return el(
    "figure",
    { class: "chart" },
    svg(
      "svg",
      { viewBox: `0 0 ${Math.max(width, at)} 18`, role: "img", "aria-label": `${label}. ${words}`, preserveAspectRatio: "none", class: "stack" },
      bars,
    ),
    el(
      "figcaption",
      { class: "legend" },
      shown.map((part) =>
        el("span", {}, el("i", { class: `dot tone-${part.tone}` }), `${number(part.value)} ${part.name}`),
      ),
    ),
  );
}

/**
 * Bars under each other, each with a share from 0 to 1.
 * @param {string} label
 * @param {{ name: string, share: number, text: string, tone?: string, low?: number, high?: number }[]} rows
 */
export function bars(label, rows) {
  return el(
    "div",
    { class: "bars", role: "list", "aria-label": label },
    rows.map((row) => {
      const percent = (/** @type {number} */ share) => 100 * Math.max(0, Math.min(1, share));
      return el(
        "div",
        { class: "bar", role: "listitem" },
        el("span", { class: "bar-name" }, row.name),
        svg(
          "svg",
          { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
          svg("rect", { class: "tone-track", x: 0, y: 0, width: 100, height: 8 }),
          svg("rect", { class: `tone-${row.tone ?? "accent"}`, x: 0, y: 0, width: Math.max(0.6, percent(row.share)), height: 8 }),
          row.high !== undefined && row.low !== undefined
            ? svg("rect", {
                class: "tone-range",
                x: percent(row.low),
                y: 3.4,
                width: Math.max(0.4, percent(row.high) - percent(row.low)),
                height: 1.2,
              })
            : null,
        ),
        el("span", { class: "bar-text" }, row.text),
      );
    }),
  );
}

/**
 * A risk from 0 to 1 as a half circle.
 * @param {string} label
 * @param {number} share
 */
export function gauge(label, share) {
  const angle = Math.PI * (1 - Math.max(0, Math.min(1, share)));
  const point = (/** @type {number} */ a, /** @type {number} */ r) => `${100 + r * Math.cos(a)} ${100 - r * Math.sin(a)}`;
  return svg(
    "svg",
    { viewBox: "0 0 200 112", class: "gauge", role: "img", "aria-label": label },
    svg("path", { class: "gauge-track", d: `M ${point(Math.PI, 84)} A 84 84 0 0 1 ${point(0, 84)}` }),
    svg("path", { class: "gauge-value", d: `M ${point(Math.PI, 84)} A 84 84 0 0 1 ${point(angle, 84)}` }),
    svg("text", { x: 100, y: 96, class: "gauge-number", "text-anchor": "middle" }, number(share, 2)),
  );
}

/**
 * Styles as dots in a plane.
 * @param {{ dots: [number, number, number, boolean][], here: [number, number] }} map
 */
export function styleMap(map) {
  const all = [...map.dots.map(([x, y]) => [x, y]), map.here];
  const xs = all.map(([x]) => x);
  const ys = all.map(([, y]) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [wide, tall, edge] = [640, 400, 22];
  const x = (/** @type {number} */ value) => edge + ((value - left) / (right - left || 1)) * (wide - 2 * edge);
  const y = (/** @type {number} */ value) => tall - edge - ((value - low) / (high - low || 1)) * (tall - 2 * edge);
  const heaviest = Math.max(...map.dots.map((dot) => dot[2]), 1);
  const [hx, hy] = [x(map.here[0]), y(map.here[1])];
  const onRight = hx > wide * 0.7;
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${tall}`, class: "map", role: "img", "aria-label": t("style.mapAbout") },
    map.dots.map(([dx, dy, weight, hollow]) =>
      svg("circle", { class: hollow ? "map-dot hollow" : "map-dot", cx: x(dx), cy: y(dy), r: 2.2 + 9 * Math.sqrt(weight / heaviest) }),
    ),
    svg("circle", { class: "map-ring", cx: hx, cy: hy, r: 13 }),
    svg("circle", { class: "map-here", cx: hx, cy: hy, r: 6 }),
    svg("text", { class: "map-text", x: hx + (onRight ? -20 : 20), y: hy + 5, "text-anchor": onRight ? "end" : "start" }, t("style.here")),
  );
}

/**
 * Measured points: what an attacker finds against what search keeps.
 * @param {{ epsilon: number | null, veiled: boolean, found: number, guessing: number, search: number }[]} points
 * @param {number} picked
 * @param {(index: number) => void} onPick
 */
export function tradeOff(points, picked, onPick) {
  const [wide, tall, left, bottom, top] = [640, 340, 54, 46, 20];
  const x = (/** @type {number} */ share) => left + share * (wide - left - 24);
  const y = (/** @type {number} */ share) => tall - bottom - share * (tall - bottom - top);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const path = points.map((point, index) => `${index ? "L" : "M"} ${x(point.search)} ${y(point.found)}`).join(" ");
  const guess = points[0]?.guessing ?? 0;
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${tall}`, class: "plot", role: "img", "aria-label": t("vectors.curve") },
    ticks.map((tick) => [
      svg("line", { class: "grid", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, `${100 * tick} %`),
      svg("text", { class: "tick", x: x(tick), y: tall - bottom + 18, "text-anchor": "middle" }, `${100 * tick} %`),
    ]),
    svg("line", { class: "guess", x1: x(0), x2: x(1), y1: y(guess), y2: y(guess) }),
    svg("text", { class: "tick", x: x(0) + 6, y: y(guess) - 6 }, t("vectors.guessing")),
    svg("path", { class: "curve", d: path }),
    points.map((point, index) =>
      svg(
        "g",
        { class: index === picked ? "point picked" : "point", on: { click: () => onPick(index) } },
        svg("circle", { cx: x(point.search), cy: y(point.found), r: index === picked ? 9 : 6 }),
        svg("title", {}, pointName(point)),
      ),
    ),
    svg("text", { class: "axis", x: x(0.5), y: tall - 6, "text-anchor": "middle" }, t("vectors.search")),
    svg("text", { class: "axis", x: 12, y: top - 6 }, t("vectors.found")),
  );
}

/** @param {{ epsilon: number | null, veiled: boolean }} point @returns {string} */
export function pointName(point) {
  if (!point.veiled) return t("vectors.before");
  return point.epsilon === null ? t("vectors.erased") : t("vectors.epsilon", { n: number(point.epsilon) });
}

/**
 * Columns over time.
 * @param {string} label
 * @param {number[]} counts
 */
export function columns(label, counts) {
  const most = Math.max(...counts, 1);
  const step = 600 / counts.length;
  return svg(
    "svg",
    { viewBox: "0 0 600 90", class: "columns", role: "img", "aria-label": `${label}: ${counts.join(", ")}`, preserveAspectRatio: "none" },
    counts.map((count, index) =>
      svg("rect", {
        class: count ? "tone-accent" : "tone-track",
        x: index * step + 1,
        y: 88 - Math.max(2, (84 * count) / most),
        width: Math.max(1, step - 3),
        height: Math.max(2, (84 * count) / most),
        rx: 1.5,
      }),
    ),
  );
}
