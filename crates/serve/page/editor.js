// A text field with marks behind its text. The field is an ordinary one, so keyboards, screen readers, spelling
// and undo work as everywhere.

import { el, fill } from "./dom.js";

/** @typedef {import("./spans.js").Mark} Mark */

export class Editor {
  /**
   * @param {{ label: string, placeholder: string, family: (kind: string | null) => string,
   *   onInput: () => void, onPick?: (mark: Mark | null, range: [number, number], at: DOMRect) => void }} options
   */
  constructor(options) {
    this.options = options;
    /** @type {Mark[]} */
    this.marks = [];
    this.behind = el("div", { class: "behind", "aria-hidden": "true" });
    this.field = el("textarea", {
      class: "field",
      "aria-label": options.label,
      placeholder: options.placeholder,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      rows: "8",
      on: {
        input: () => options.onInput(),
        click: () => this.pick(),
        keydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.pick(true);
          }
        },
      },
    });
    this.node = el("div", { class: "editor" }, this.behind, this.field);
    this.draw();
  }

  /** @returns {string} */
  get text() {
    return this.field.value;
  }

  set text(text) {
    this.field.value = text;
    this.draw();
  }

  /** Shows marks. They must fit the text. @param {Mark[]} marks */
  show(marks) {
    this.marks = marks;
    this.draw();
  }

  draw() {
    const text = this.text;
    const pieces = [];
    let at = 0;
    for (const mark of this.marks) {
      if (mark.start < at || mark.end > text.length) continue;
      pieces.push(text.slice(at, mark.start));
      const name = mark.way === "habit" ? "habit" : `k ${this.options.family(mark.kind)} ${mark.way ?? ""}`;
      pieces.push(el("mark", { class: name.trim() }, text.slice(mark.start, mark.end)));
      at = mark.end;
    }
    // A line break at the end needs something after it to be as high as in the field.
    pieces.push(`${text.slice(at)}\u200b`);
    fill(this.behind, ...pieces.filter((piece) => piece !== ""));
  }

  /** The place of a mark on the screen. @param {Mark} mark @returns {DOMRect} */
  placeOf(mark) {
    const shown = this.marks.filter((known) => known.end <= this.text.length).indexOf(mark);
    const node = this.behind.querySelectorAll("mark")[shown];
    return (node ?? this.field).getBoundingClientRect();
  }

  /** Asks what to do with the word at the caret, or with what is selected. @param {boolean} [byKey] */
  pick(byKey = false) {
    const { selectionStart: start, selectionEnd: end } = this.field;
    const mark = this.marks.find((known) => known.start <= start && end <= known.end) ?? null;
    if (start === end && !mark && !byKey) return;
    if (mark) {
      this.options.onPick?.(mark, [mark.start, mark.end], this.placeOf(mark));
    } else if (end > start && end - start < 200) {
      this.options.onPick?.(null, [start, end], this.placeOfSelection(start, end));
    }
  }

  /** @param {number} start @param {number} end @returns {DOMRect} */
  placeOfSelection(start, end) {
    const range = document.createRange();
    let at = 0;
    const walker = document.createTreeWalker(this.behind, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const length = node.textContent?.length ?? 0;
      if (at <= start && start <= at + length) range.setStart(node, start - at);
      if (at <= end && end <= at + length) {
        range.setEnd(node, end - at);
        break;
      }
      at += length;
    }
    return range.getBoundingClientRect();
  }
}
