// The receipt in plain words, with the odds of an attacker and one picture.

import { bars, stacked } from "./charts.js";
import { download, el } from "./dom.js";
import { number, t } from "./strings.js";

/**
 * @param {any} receipt
 * @param {Record<string, number>} counts
 * @returns {any[]}
 */
export function receiptView(receipt, counts) {
  const of = (/** @type {string} */ way) => counts[way] ?? 0;
  const all = of("kept") + of("replaced") + of("changed") + of("noised");
  const changed = of("replaced") + of("changed");
  const groups = receipt.groups ?? [];
  const count = (/** @type {(group: any) => boolean} */ fits) =>
    groups.filter(fits).reduce((/** @type {number} */ sum, /** @type {any} */ group) => sum + group.count, 0);
  const moved = count((group) => group.mechanism === "shift");
  const kept = count((group) => group.mechanism === "keep");
  const noised = groups.find((/** @type {any} */ group) => group.survival !== undefined && group.count > 0);
  const replaced = count((group) => group.epsilon === 0 || group.epsilon === "0") || Math.max(0, of("replaced") - moved);
  const lines = [
    changed ? t("receipt.words", { changed: number(changed), all: number(all) }) : t("receipt.none", { all: number(all) }),
    replaced === 1 ? t("receipt.replacedOne") : replaced > 1 ? t("receipt.replaced", { n: number(replaced) }) : t("receipt.replacedNone"),
    moved === 1 ? t("receipt.movedOne") : moved ? t("receipt.moved", { n: number(moved) }) : null,
    noised ? t("receipt.noised", { n: number(of("noised") + of("changed")), share: `${number(100 * noised.survival)} %` }) : null,
    kept ? t("receipt.kept", { n: number(kept) }) : null,
  ];
  const decided = (receipt.treatments ?? []).find((/** @type {any} */ one) => one.what.startsWith("spans that the user"));
  if (decided) lines.push(t("receipt.decided", { what: decided.how }));
  return [
    stacked(t("receipt.picture"), [
      { name: t("receipt.legend.kept"), value: of("kept"), tone: "kept" },
      { name: t("receipt.legend.replaced"), value: of("replaced"), tone: "accent" },
      { name: t("receipt.legend.changed"), value: of("changed"), tone: "changed" },
      { name: t("receipt.legend.noised"), value: of("noised"), tone: "noised" },
    ]),
    el("ul", { class: "plain" }, lines.filter(Boolean).map((line) => el("li", {}, line))),
    el("h3", {}, t("receipt.odds")),
    bars(t("receipt.odds"), groups.filter((/** @type {any} */ group) => group.count > 0).map(odds)),
    el(
      "details",
      {},
      el("summary", {}, t("receipt.notCovered")),
      el("ul", {}, (receipt.not_covered ?? []).map((/** @type {string} */ what) => el("li", {}, what))),
    ),
    el(
      "details",
      {},
      el("summary", {}, t("receipt.full")),
      el("pre", { class: "words", tabindex: "0", "aria-label": t("receipt.full") }, receipt.in_words),
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          on: {
            click: () => {
              const { in_words: _, ...plain } = receipt;
              download("receipt.json", `${JSON.stringify(plain, null, 2)}\n`, "application/json");
            },
          },
        },
        t("receipt.save"),
      ),
    ),
  ];
}

/** The odds that a group leaves to an attacker. @param {any} group */
function odds(group) {
  const worst = group.certainty?.worst ?? 1;
  const typical = group.certainty?.typical ?? worst;
  const share = group.survival ?? typical;
  let text = t("receipt.oddsRow.about", { share: `${number(100 * share)} %` });
  if (worst <= 0.5001) text = t("receipt.oddsRow.half");
  else if (group.survival === undefined && worst >= 0.9999) text = t("receipt.oddsRow.certain");
  const name = t(`receipt.groups.${group.name.match(/^group (\d)/)?.[1]}`);
  const way = group.mechanism ? (["keep", "shift"].includes(group.mechanism) ? group.mechanism : "other") : "noise";
  return {
    name: `${number(group.count)} × ${name} (${t(`receipt.ways.${way}`)})`,
    share: worst <= 0.5001 ? 0.5 : share,
    text,
    tone: worst <= 0.5001 ? "good" : share > 0.9 ? "kept" : "changed",
  };
}
