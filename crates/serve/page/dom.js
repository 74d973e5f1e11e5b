// Builds elements. No string is ever read as HTML.

/**
 * @typedef {Record<string, any>} Props
 * @typedef {any} Child
 */

/**
 * Makes an element. `on` holds listeners, `data` data attributes, and other names are attributes.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {any}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  set(node, props);
  node.append(...flat(children));
  return node;
}

/**
 * Makes an element of a drawing.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {any}
 */
export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(node, props);
  node.append(...flat(children));
  return node;
}

/** @param {Element} node @param {Props} props */
function set(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "data") {
      for (const [key, content] of Object.entries(value)) node.setAttribute(`data-${key}`, String(content));
    } else if (name === "value") {
      /** @type {any} */ (node).value = value;
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** @param {any[]} children @returns {any[]} */
function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Replaces what an element holds. @param {Element} node @param {...any} children */
export function fill(node, ...children) {
  node.replaceChildren(...flat(children));
}

let spoken = 0;

/** Tells a screen reader something. @param {string} text */
export function say(text) {
  const place = document.getElementById("say");
  if (!place) return;
  // The same words twice must be a change.
  place.textContent = spoken++ % 2 ? text : `${text}\u00a0`;
}

/** Shows a short message that goes away. @param {string} text @param {"good" | "bad"} [tone] */
export function toast(text, tone = "good") {
  document.querySelector(".toast")?.remove();
  const note = el("div", { class: `toast ${tone}` }, text);
  (document.getElementById("view") ?? document.body).append(note);
  say(text);
  setTimeout(() => note.remove(), 4200);
}

/** Saves bytes as a file of the user. @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** A card with a title. @param {string} title @param {Props} props @param {...any} children @returns {any} */
export function card(title, props, ...children) {
  const { tools, note, ...rest } = props;
  const id = `t${++cards}`;
  return el(
    "section",
    { ...rest, class: `card ${rest.class ?? ""}`.trim(), "aria-labelledby": id },
    el(
      "div",
      { class: "card-head" },
      el("h2", { id }, title),
      note ? el("span", { class: "note" }, note) : null,
      tools ? el("div", { class: "tools" }, tools) : null,
    ),
    children,
  );
}

let cards = 0;
