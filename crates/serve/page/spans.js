// Places in a text that changes while a person types.

/**
 * @typedef {{ start: number, end: number, kind: string | null, why: string | null, way?: string }} Mark
 */

/**
 * What changed between two texts: the place in the old text, and in the new one.
 * @param {string} before
 * @param {string} after
 */
export function edit(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < most - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  return { start, oldEnd: before.length - tail, newEnd: after.length - tail };
}

/**
 * Moves marks of an old text into a new one. Marks that the edit touches are left out.
 * @param {Mark[]} marks
 * @param {string} before
 * @param {string} after
 * @returns {Mark[]}
 */
export function shift(marks, before, after) {
  if (before === after) return marks;
  const { start, oldEnd, newEnd } = edit(before, after);
  const moved = newEnd - oldEnd;
  return marks
    .filter((mark) => mark.end < start || mark.start > oldEnd || (start === oldEnd && mark.end <= start))
    .map((mark) =>
      mark.start >= oldEnd ? { ...mark, start: mark.start + moved, end: mark.end + moved } : mark,
    );
}

/**
 * Joins careful marks of an older text with quick marks of the text at hand: the quick ones count in the
 * lines that changed, and the careful ones elsewhere.
 * @param {Mark[]} careful
 * @param {string} carefulText
 * @param {Mark[]} quick
 * @param {string} text
 * @returns {Mark[]}
 */
export function join(careful, carefulText, quick, text) {
  const { start, newEnd } = edit(carefulText, text);
  const first = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", newEnd);
  const last = next < 0 ? text.length : next;
  const inside = (/** @type {Mark} */ mark) => mark.start < last && mark.end > first;
  const kept = shift(careful, carefulText, text).filter((mark) => !inside(mark));
  return [...kept, ...quick.filter(inside)].sort((one, other) => one.start - other.start);
}

/** The number of words of a text. @param {string} text @returns {number} */
export function words(text) {
  return text.match(/\S+/g)?.length ?? 0;
}

/**
 * The differences of two texts, word by word: pieces with `same`, `out` or `in`.
 * @param {string} before
 * @param {string} after
 * @returns {{ what: "same" | "out" | "in", text: string }[]}
 */
export function differences(before, after) {
  const cut = (/** @type {string} */ text) => text.match(/\s+|[\p{L}\p{N}'’]+|[^\s\p{L}\p{N}]/gu) ?? [];
  const a = cut(before);
  const b = cut(after);
  if (a.length * b.length > 4_000_000) {
    return [
      { what: "out", text: before },
      { what: "in", text: after },
    ];
  }
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  /** @type {{ what: "same" | "out" | "in", text: string }[]} */
  const pieces = [];
  const push = (/** @type {"same" | "out" | "in"} */ what, /** @type {string} */ text) => {
    const last = pieces[pieces.length - 1];
    if (last?.what === what) last.text += text;
    else pieces.push({ what, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push("same", a[i++]);
      j++;
    } else if (i < a.length && (j === b.length || table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      push("out", a[i++]);
    } else {
      push("in", b[j++]);
    }
  }
  return pieces;
}
