// Files with rows: CSV and JSON lines. They are taken apart into texts and put back in their own format.

/**
 * A file that was taken apart.
 * @typedef {{ texts: string[], fields: (string | null)[], rows: number, put: (texts: string[]) => string }} Parts
 */

/** @param {string} name @param {string} text @returns {Parts | null} */
export function takeApart(name, text) {
  if (/\.csv$/i.test(name)) return csv(text);
  if (/\.(jsonl|ndjson)$/i.test(name)) return jsonl(text);
  return null;
}

/**
 * Reads CSV as RFC 4180 describes it. Cells keep their quotes where they had them.
 * @param {string} text
 * @returns {Parts}
 */
export function csv(text) {
  const separator = guess(text);
  /** @type {{ text: string, quoted: boolean, end: string }[]} */
  const cells = [];
  let at = 0;
  while (at < text.length) {
    let value = "";
    const quoted = text[at] === '"';
    if (quoted) {
      at++;
      while (at < text.length) {
        if (text[at] === '"' && text[at + 1] === '"') {
          value += '"';
          at += 2;
        } else if (text[at] === '"') {
          at++;
          break;
        } else {
          value += text[at++];
        }
      }
    }
    while (at < text.length && text[at] !== separator && text[at] !== "\n" && text[at] !== "\r") value += text[at++];
    let end = text[at] ?? "";
    if (end === "\r" && text[at + 1] === "\n") end = "\r\n";
    at += end.length;
    cells.push({ text: value, quoted, end });
    // A separator at the very end has one more empty cell after it.
    if (end === separator && at === text.length) cells.push({ text: "", quoted: false, end: "" });
  }
  const headEnd = cells.findIndex((cell) => cell.end !== separator) + 1;
  const head = cells.slice(0, headEnd);
  const body = cells.slice(headEnd);
  let column = 0;
  const fields = body.map((cell) => {
    const field = head[column]?.text ?? null;
    column = cell.end === separator ? column + 1 : 0;
    return field;
  });
  const write = (/** @type {string} */ value, /** @type {boolean} */ quoted) =>
    quoted || value.includes(separator) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  return {
    texts: body.map((cell) => cell.text),
    fields,
    rows: body.filter((cell) => cell.end !== separator).length,
    put: (texts) =>
      head.map((cell) => write(cell.text, cell.quoted) + cell.end).join("") +
      body.map((cell, index) => write(texts[index], cell.quoted) + cell.end).join(""),
  };
}

/** The separator of a CSV file. @param {string} text @returns {string} */
function guess(text) {
  const line = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const count = (/** @type {string} */ one) => line.split(one).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Reads JSON lines. Every string that is a value is a text, with the name of its field. All other bytes stay as
 * they are, so that long numbers and spaces are not changed.
 * @param {string} text
 * @returns {Parts}
 */
export function jsonl(text) {
  /** @type {string[]} */
  const texts = [];
  /** @type {(string | null)[]} */
  const fields = [];
  /** What stands between the texts. @type {string[]} */
  const between = [];
  let rest = "";
  let rows = 0;
  const lines = text.split(/(\r?\n)/);
  lines.forEach((line, index) => {
    if (index % 2 || line.trim() === "") {
      rest += line;
      return;
    }
    try {
      JSON.parse(line);
    } catch {
      throw new Error(`line ${index / 2 + 1}`);
    }
    rows++;
    let at = 0;
    /** @type {string | null} */
    let field = null;
    for (const found of line.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
      const after = found.index + found[0].length;
      if (/^\s*:/.test(line.slice(after))) {
        field = JSON.parse(found[0]);
        continue;
      }
      between.push(rest + line.slice(at, found.index));
      rest = "";
      texts.push(JSON.parse(found[0]));
      fields.push(field);
      at = after;
    }
    rest += line.slice(at);
  });
  return {
    texts,
    fields,
    rows,
    put: (veiled) => between.map((piece, index) => piece + JSON.stringify(veiled[index])).join("") + rest,
  };
}
