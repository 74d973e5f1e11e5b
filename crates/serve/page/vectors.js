// The view Vectors: the directions that carry a concept, and what removing them costs.

import { bytes, call } from "./api.js";
import { bars, pointName, tradeOff } from "./charts.js";
import { card, download, el, fill, toast } from "./dom.js";
import { kindName, number, t } from "./strings.js";
import { takeApart } from "./tables.js";

/** Kinds that texts often mention. */
const KINDS = ["person", "location", "organisation", "health", "medication", "job", "money", "date"];

// What the view keeps while others are shown.
/** @type {{ texts: string, words: string, kinds: Set<string>, public: boolean, answer: any, picked: number }} */
const kept = { texts: "", words: "", kinds: new Set(["location"]), public: false, answer: null, picked: 1 };

/** @returns {{ node: HTMLElement, leave: () => void }} */
export function vectorsView() {
  const result = el("div", { id: "directions", class: "stackview" });
  const note = el("span", { class: "note" });
  const texts = el("textarea", {
    id: "texts",
    class: "plain-field tall",
    "aria-label": t("vectors.textsLabel"),
    placeholder: t("vectors.textsPlaceholder"),
    spellcheck: "false",
    value: kept.texts,
    on: {
      input: () => {
        kept.texts = texts.value;
        showCount();
      },
      dragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
      drop: async (/** @type {DragEvent} */ event) => {
        const file = event.dataTransfer?.files[0];
        if (!file) return;
        event.preventDefault();
        const content = await file.text();
        try {
          const parts = takeApart(file.name, content);
          texts.value = parts ? parts.texts.map((text) => text.replaceAll(/\s+/g, " ")).join("\n") : content;
        } catch (error) {
          toast(t("write.badFile", { name: file.name, where: /** @type {Error} */ (error).message }), "bad");
        }
        kept.texts = texts.value;
        showCount();
      },
    },
  });
  const words = el("input", {
    id: "words",
    type: "text",
    value: kept.words,
    placeholder: t("vectors.wordsPlaceholder"),
    autocomplete: "off",
    on: { input: () => (kept.words = words.value) },
  });
  const fit = el("button", { type: "button", class: "primary", id: "fit", on: { click: () => void run() } }, t("vectors.fit"));

  function lines() {
    return texts.value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean);
  }

  function showCount() {
    note.textContent = t("vectors.count", { n: number(lines().length) });
  }

  async function run() {
    fit.disabled = true;
    fill(result, el("p", { class: "empty", role: "status" }, t("vectors.fitting")));
    try {
      const own = words.value.split(",").map((/** @type {string} */ word) => word.trim()).filter(Boolean);
      kept.answer = await call("concept", { texts: lines(), kinds: [...kept.kinds], words: own, public: kept.public });
      kept.picked = Math.min(1, kept.answer.curve.length - 1);
      show();
    } catch (error) {
      fill(result, el("p", { class: "empty" }, /** @type {Error} */ (error).message));
    }
    fit.disabled = false;
  }

  function show() {
    const { answer } = kept;
    if (!answer) return;
    const most = Math.max(...answer.directions.map((/** @type {any} */ [concept]) => concept), 0.001);
    const rows = answer.directions.slice(0, 10).map((/** @type {[number, number]} */ [concept, spread], /** @type {number} */ index) => ({
      name: `${index + 1}`,
      share: concept / most,
      text: `${number(100 * concept, 1)} % ${t("vectors.axisConcept")}, ${number(100 * spread, 1)} % ${t("vectors.axisSpread")}`,
    }));
    const about = t("vectors.directionsAbout", {
      n: number(answer.directions.length),
      concept: number(100 * answer.concept_removed),
      spread: number(100 * answer.spread_removed),
    });
    const chart = el("div", { id: "curve" });
    const choice = el("div", { class: "points", role: "radiogroup", "aria-label": t("vectors.pick") });
    const facts = el("p", { class: "verdict" });
    const command = el("pre", { class: "command", tabindex: "0", "aria-label": t("vectors.command") });
    const draw = () => {
      const point = answer.curve[kept.picked];
      fill(chart, tradeOff(answer.curve, kept.picked, pick));
      fill(
        choice,
        answer.curve.map((/** @type {any} */ one, /** @type {number} */ index) =>
          el(
            "label",
            {},
            el("input", {
              type: "radio",
              name: "point",
              checked: index === kept.picked,
              on: { change: () => pick(index) },
            }),
            el("span", {}, pointName(one)),
          ),
        ),
      );
      facts.textContent = t("vectors.measured", {
        found: number(100 * point.found),
        guessing: number(100 * point.guessing),
        search: number(100 * point.search),
      });
      command.textContent = point.veiled
        ? `inkveil vector apply vectors.npy -o veiled.npy --mask ${answer.concept}.mask -e ${point.epsilon ?? "inf"}`
        : "";
      command.hidden = !point.veiled;
    };
    const pick = (/** @type {number} */ index) => {
      kept.picked = index;
      draw();
      /** @type {HTMLElement | null} */ (choice.querySelectorAll("input")[index])?.focus();
    };
    const saveMask = el(
      "button",
      {
        type: "button",
        class: "primary",
        id: "mask",
        on: {
          click: async () => {
            try {
              download(`${answer.concept}.mask`, await bytes(`concept/${answer.id}`), "application/octet-stream");
            } catch (error) {
              toast(/** @type {Error} */ (error).message, "bad");
            }
          },
        },
      },
      t("vectors.save"),
    );
    fill(
      result,
      card(t("vectors.directions"), {}, el("p", {}, about), bars(t("vectors.directions"), rows)),
      card(
        t("vectors.curve"),
        { tools: saveMask },
        el("p", { class: "hint" }, t("vectors.curveAbout")),
        answer.curve.length
          ? [chart, choice, facts, command]
          : el("p", { class: "empty" }, t("vectors.noCurve", { why: answer.no_curve ?? "" })),
      ),
    );
    if (answer.curve.length) draw();
  }

  const chips = KINDS.map((kind) =>
    el(
      "label",
      { class: "chip" },
      el("input", {
        type: "checkbox",
        checked: kept.kinds.has(kind),
        value: kind,
        on: {
          change: (/** @type {Event} */ event) => {
            if (/** @type {HTMLInputElement} */ (event.target).checked) kept.kinds.add(kind);
            else kept.kinds.delete(kind);
          },
        },
      }),
      el("span", {}, kindName(kind)),
    ),
  );
  const node = el(
    "div",
    { class: "vectors-view" },
    el("h1", { class: "unseen" }, t("views.vectors")),
    el("p", { class: "lead" }, t("vectors.about")),
    el(
      "div",
      { class: "panes wide-left" },
      card(
        t("vectors.texts"),
        {
          class: "pane",
          tools: [
            note,
            el(
              "button",
              {
                type: "button",
                class: "quiet",
                id: "vector-examples",
                on: {
                  click: () => {
                    texts.value = kept.texts = examples().join("\n");
                    showCount();
                  },
                },
              },
              t("vectors.example"),
            ),
          ],
        },
        texts,
      ),
      card(
        t("vectors.concept"),
        { class: "pane" },
        el("fieldset", { class: "chips" }, el("legend", {}, t("vectors.kinds")), chips),
        el("label", { for: "words" }, t("vectors.words")),
        words,
        el(
          "label",
          { class: "check" },
          el("input", {
            type: "checkbox",
            checked: kept.public,
            "aria-describedby": "public-hint",
            on: { change: (/** @type {any} */ event) => (kept.public = event.target.checked) },
          }),
          el("span", {}, t("vectors.public")),
        ),
        el("p", { class: "hint", id: "public-hint" }, t("vectors.publicHint")),
        fit,
      ),
    ),
    result,
  );
  showCount();
  show();
  return { node, leave: () => {} };
}

/** Sentences about places, made from parts. @returns {string[]} */
function examples() {
  const places = ["Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Lisbon", "Dublin"];
  const sentences = [
    "We took the night train to {p} and slept badly.",
    "The bakery near our flat in {p} opens at six.",
    "My sister studies medicine in {p}.",
    "The office in {p} is closed on Friday.",
    "It rained for a week when we visited {p}.",
    "He sold his car before he moved to {p}.",
    "The conference in {p} was cancelled at short notice.",
    "Our cousins from {p} bring cheese every time.",
    "She found a better job in {p} last spring.",
    "The museum in {p} has a new roof.",
    "They are looking for a cheap room in {p}.",
    "The parcel from {p} arrived with a broken box.",
    "A friend in {p} repairs old radios.",
    "The football team of {p} lost again.",
    "I left my umbrella in a taxi in {p}.",
    "The mayor of {p} opened the bridge.",
  ];
  const plain = [
    "The soup needs more salt and a little lemon.",
    "The cat sleeps on the warm printer.",
    "Please send the invoice before the end of the month.",
    "The lamp in the hall flickers at night.",
    "I read the whole book in two days.",
    "The dog is afraid of the vacuum cleaner.",
    "We painted the kitchen in a light green.",
    "The password must be changed every year.",
  ];
  return [...sentences.flatMap((sentence) => places.map((place) => sentence.replace("{p}", place))), ...plain];
}
