// A small menu beside a word.

import { el } from "./dom.js";

/** @type {(() => void) | null} */
let close = null;

/** Closes the open menu. */
export function closeMenu() {
  close?.();
}

/**
 * Opens a menu beside a place.
 * @param {DOMRect} at
 * @param {{ title: string, about: string[], items: { label: string, hint?: string, run: () => void }[] }} menu
 */
export function openMenu(at, { title, about, items }) {
  closeMenu();
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const buttons = items.map(({ label, hint, run }) =>
    el(
      "button",
      {
        type: "button",
        role: "menuitem",
        on: {
          click: () => {
            done();
            run();
          },
        },
      },
      el("span", {}, label),
      hint ? el("small", {}, hint) : null,
    ),
  );
  const box = el(
    "div",
    { class: "menu" },
    el("div", { class: "menu-head" }, el("strong", {}, title), ...about.map((line) => el("p", {}, line))),
    el("div", { role: "menu", "aria-label": title }, buttons),
  );
  const away = (/** @type {Event} */ event) => {
    if (!box.contains(/** @type {Node} */ (event.target))) done(false);
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const index = buttons.indexOf(/** @type {any} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") done();
    else if (step) buttons[(index + step + buttons.length) % buttons.length].focus();
    else if (event.key === "Tab") done();
    else return;
    event.preventDefault();
  };
  function done(back = true) {
    box.remove();
    document.removeEventListener("pointerdown", away, true);
    close = null;
    if (back) before?.focus();
  }
  close = () => done(false);
  box.addEventListener("keydown", keys);
  (document.getElementById("view") ?? document.body).append(box);
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left + scrollX, scrollX + innerWidth - width - 8));
  const below = at.bottom + height + 8 < innerHeight;
  const top = below ? at.bottom + scrollY + 6 : Math.max(scrollY + 8, at.top + scrollY - height - 6);
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${top}px`);
  document.addEventListener("pointerdown", away, true);
  buttons[0]?.focus();
}
