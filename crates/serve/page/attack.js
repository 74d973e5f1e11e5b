// The view Attack: attackers on what was just veiled.

import { call } from "./api.js";
import { bars } from "./charts.js";
import { card, el, fill } from "./dom.js";
import { draft, family, request } from "./draft.js";
import { kindName, number, t } from "./strings.js";

/** @returns {{ node: HTMLElement, leave: () => void }} */
export function attackView() {
  const results = el("div", { id: "attacks", class: "stackview" });
  const button = el("button", { type: "button", class: "primary", id: "attack", on: { click: () => void run() } }, t("attack.run"));

  async function run() {
    if (!draft.text.trim()) return fill(results, el("p", { class: "empty" }, t("attack.empty")));
    button.disabled = true;
    fill(results, el("p", { class: "empty", role: "status" }, t("attack.running")));
    try {
      show(await call("attack", request()));
    } catch (error) {
      fill(results, el("p", { class: "empty" }, /** @type {Error} */ (error).message));
    }
    button.disabled = false;
  }

  /** @param {any} answer */
  function show(answer) {
    fill(
      results,
      card(t("attack.face"), {}, el("p", { class: "hint" }, t("attack.faceAbout")), faceTable(answer.face)),
      el("div", { class: "panes even" }, wordsCard(answer), styleCard(answer.style)),
    );
  }

  /** @param {any[]} face */
  function faceTable(face) {
    if (!face.length) return el("p", { class: "empty" }, t("write.same"));
    const heads = ["value", "kind", "sees", "result"];
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("attack.face") },
      el(
        "table",
        { role: "table" },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((head) => el("th", { scope: "col", role: "columnheader" }, t(`attack.columns.${head}`))))),
        el(
          "tbody",
          { role: "rowgroup" },
          face.map((one) =>
            el(
              "tr",
              { role: "row" },
              el("td", { role: "cell", class: "c-value" }, el("mark", { class: `k ${family(one.kind)}` }, one.value)),
              el("td", { role: "cell", class: "c-kind" }, kindName(one.kind)),
              el("td", { role: "cell", class: "c-sees" }, one.sees || "–"),
              el("td", { role: "cell", class: "c-result" }, el("span", { class: one.survives ? "badge bad" : "badge good" }, one.survives ? t("attack.survives") : t("attack.hidden"))),
            ),
          ),
        ),
      ),
    );
  }

  /** @param {any} answer */
  function wordsCard(answer) {
    const { words } = answer;
    if (!words) return card(t("attack.words"), {}, el("p", { class: "empty" }, t("attack.noWords", { why: answer.no_words ?? "" })));
    const percent = (/** @type {number} */ share) => number(100 * share, share < 0.1 && share > 0 ? 1 : 0);
    const rows = [
      { name: t("attack.attackers.survival"), share: words.survival, text: `${percent(words.survival)} %`, tone: "changed" },
      ...words.found.map((/** @type {any} */ one) => ({
        name: t(`attack.attackers.${one.attacker}`),
        share: one.mean,
        low: one.low,
        high: one.high,
        text: t("attack.interval", { mean: percent(one.mean), low: percent(one.low), high: percent(one.high) }),
        tone: one.mean > 0.1 ? "changed" : "accent",
      })),
    ];
    return card(
      t("attack.words"),
      {},
      el("p", { class: "verdict" }, words.verdict),
      el("p", { class: "hint" }, t("attack.wordsAbout", { attacked: words.attacked, sentences: words.sentences, values: words.values })),
      bars(t("attack.words"), rows),
      el("p", {}, t("attack.linked", { n: number(100 * words.linked) })),
    );
  }

  /** @param {any} style */
  function styleCard(style) {
    if (!style || style.even === null) return card(t("attack.style"), {}, el("p", { class: "empty" }, t("attack.noStyle")));
    return card(
      t("attack.style"),
      {},
      el("p", {}, t("attack.styleEven", { n: number(100 * style.even) })),
      el("p", {}, t("attack.styleHundred", { n: number(100 * style.among_hundred) })),
      el("p", { class: "hint" }, t("attack.styleAbout")),
    );
  }

  fill(results, el("p", { class: "empty" }, draft.text.trim() ? "" : t("attack.empty")));
  const node = el(
    "div",
    { class: "attack-view" },
    el("h1", { class: "unseen" }, t("views.attack")),
    card(t("attack.title"), { tools: button }, el("p", { class: "lead" }, t("attack.about"))),
    results,
  );
  return { node, leave: () => {} };
}
