// The view Style: how recognisable a text is, its habits, its place among other styles, and rewrites.

import { call } from "./api.js";
import { gauge, styleMap } from "./charts.js";
import { card, el, fill, toast } from "./dom.js";
import { draft, program } from "./draft.js";
import { Editor } from "./editor.js";
import { differences } from "./spans.js";
import { number, t } from "./strings.js";

/** The pause after which the style is measured. In milliseconds. */
const PAUSE = 250;

/** @returns {{ node: HTMLElement, leave: () => void }} */
export function styleView() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  /** @type {any} */
  let map = null;

  const editor = new Editor({
    label: t("style.text"),
    placeholder: t("style.placeholder"),
    family: () => "other",
    onInput: () => {
      draft.text = editor.text;
      editor.show([]);
      clearTimeout(timer);
      timer = setTimeout(() => void measure(), PAUSE);
    },
  });
  editor.text = draft.text;
  const risk = el("div", { id: "risk" });
  const habits = el("div", { id: "habits" });
  const place = el("div", { id: "map" });
  const rewrites = el("div", { id: "rewrites" });
  const button = el("button", { type: "button", class: "primary", id: "rewrite", on: { click: () => void rewrite() } }, t("style.rewrite"));

  async function measure() {
    const number_ = ++asked;
    const text = draft.text;
    if (!text.trim()) {
      fill(risk, el("p", { class: "empty" }, t("style.empty")));
      fill(habits, el("p", { class: "empty" }, t("style.habitsEmpty")));
      fill(place);
      return;
    }
    try {
      const answer = await call("style", { text });
      if (number_ === asked) show(answer);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** @param {any} answer */
  function show(answer) {
    if (answer.risk === undefined) {
      fill(risk, el("p", { class: "empty" }, answer.in_words));
      fill(habits, el("p", { class: "empty" }, t("style.empty")));
      fill(place);
      return;
    }
    fill(
      risk,
      gauge(t("style.riskOf", { risk: number(answer.risk, 2), verdict: answer.verdict }), answer.risk),
      el("p", { class: "verdict" }, answer.verdict),
      el("p", {}, t("style.percentile", { n: number(answer.percentile), seen: number(answer.seen) })),
      el("p", {}, t("style.alike", { n: answer.one_in })),
      answer.caution ? el("p", { class: "caution" }, answer.caution) : null,
      el("p", { class: "hint" }, t("style.note")),
    );
    const marks = answer.habits
      .filter((/** @type {any} */ habit) => habit.example)
      .map((/** @type {any} */ habit) => ({ start: habit.example[0], end: habit.example[1], kind: null, why: habit.sentence, way: "habit" }))
      .sort((/** @type {any} */ one, /** @type {any} */ other) => one.start - other.start);
    editor.show(marks);
    fill(
      habits,
      answer.habits.length
        ? el(
            "ol",
            { class: "habits" },
            answer.habits.map((/** @type {any} */ habit) =>
              el(
                "li",
                {},
                el("span", {}, habit.sentence),
                habit.example ? el("q", {}, draft.text.slice(...habit.example)) : null,
              ),
            ),
          )
        : el("p", { class: "empty" }, t("style.habitsEmpty")),
    );
    map = answer.map ?? map;
    if (map) fill(place, styleMap(map), el("p", { class: "hint" }, t("style.mapAbout")));
  }

  async function rewrite() {
    if (!program.rewriter) return;
    button.disabled = true;
    fill(rewrites, el("p", { class: "empty", role: "status" }, t("style.rewriting")));
    try {
      const answer = await call("rewrite", { text: draft.text });
      fill(rewrites, el("div", { class: "candidates" }, answer.candidates.map(candidate)));
    } catch (error) {
      fill(rewrites, el("p", { class: "empty" }, /** @type {Error} */ (error).message));
    }
    button.disabled = false;
  }

  /** @param {any} one @param {number} index */
  function candidate(one, index) {
    const title = t("style.candidate", { n: index + 1 });
    if (one.text === null) return card(title, { class: "candidate" }, el("p", { class: "empty" }, t("style.refused")));
    const facts = [
      one.risk === null ? null : t("style.riskAfter", { n: number(one.risk, 2) }),
      one.meaning === null ? null : t("style.meaning", { n: number(100 * one.meaning) }),
      one.invented ? t("style.invented", { n: one.invented }) : null,
    ];
    return card(
      title,
      {
        class: "candidate",
        note: facts.filter(Boolean).join(" · "),
        tools: el(
          "button",
          {
            type: "button",
            class: "quiet",
            on: {
              click: () => {
                draft.text = one.text;
                editor.text = one.text;
                toast(t("style.chosen"));
                void measure();
              },
            },
          },
          t("style.choose"),
        ),
      },
      el(
        "p",
        { class: "diff" },
        differences(draft.text, one.text).map((piece) =>
          piece.what === "same" ? piece.text : el(piece.what === "in" ? "ins" : "del", {}, piece.text),
        ),
      ),
    );
  }

  const node = el(
    "div",
    { class: "style-view" },
    el("h1", { class: "unseen" }, t("views.style")),
    el(
      "div",
      { class: "panes wide-left" },
      card(t("style.text"), { class: "pane" }, editor.node),
      card(t("style.title"), { class: "pane" }, risk),
    ),
    el("div", { class: "panes even" }, card(t("style.habits"), {}, habits), card(t("style.map"), {}, place)),
    card(
      t("style.rewriteTitle"),
      { tools: program.rewriter ? button : null },
      program.rewriter
        ? el("p", { class: "hint" }, t("style.rewriteAbout"))
        : el(
            "div",
            { class: "how", id: "no-model" },
            el("p", {}, t("style.noModel")),
            el("pre", { class: "command", tabindex: "0", "aria-label": t("style.noModel") }, t("style.noModelHow").join("\n")),
            el("p", { class: "hint" }, t("style.noModelAbout")),
          ),
      rewrites,
    ),
  );
  void measure();
  return { node, leave: () => clearTimeout(timer) };
}
