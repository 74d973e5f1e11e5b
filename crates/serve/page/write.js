// The view Write: marks while you type, the veiled text beside it, decisions, the receipt, and answers.

import { call } from "./api.js";
import { card, download, el, fill, say, toast } from "./dom.js";
import { decide, decisionOn, draft, family, kinds, program, renew, request, undecide } from "./draft.js";
import { Editor } from "./editor.js";
import { closeMenu, openMenu } from "./menu.js";
import { receiptView } from "./receipt.js";
import { forget, load, remember, save } from "./settings.js";
import { join, shift, words } from "./spans.js";
import { kindName, number, t } from "./strings.js";
import { takeApart } from "./tables.js";

/** @typedef {import("./spans.js").Mark} Mark */

/** A longer text gets quick marks first, and the veiled text when the typing pauses. In characters. */
const LONG = 6000;
/** So does a text whose last answer took longer than this. In milliseconds. */
const SLOW = 60;
/** The longest pause after which such a text is veiled. In milliseconds. */
const PAUSE = 260;
/** The largest file, in bytes. */
const LARGEST = 1 << 20;
const LARGEST_DOCUMENT = 8 << 20;
/** How many findings are listed at first. */
const LISTED = 12;

const LEVELS = /** @type {const} */ (["light", "medium", "strict"]);

const EXAMPLE =
  "Dear Dr Okafor,\n\nmy name is Ana Lima and I moved from Porto to Leeds on 3 March 2024. Since then my knee hurts when I climb stairs. Dr Silva at Hospital São João gave me ibuprofen, 400 mg twice a day, but it did not help.\n\nYou can reach me at ana.lima@example.org or +44 7700 900123. My NHS number is 943 476 5919. Ana's husband Rui can drive me on any weekday.\n\nKind regards\nAna Lima";

/** @returns {{ node: HTMLElement, leave: () => void }} */
export function writeView() {
  /** How long the last answer took, in milliseconds. */
  let taken = 0;
  /** Whether the last change was one of the text. */
  let typing = false;
  /** The last answer of the program, and the text it belongs to. @type {{ text: string, answer: any } | null} */
  let last = null;
  let version = 0;
  let answered = -1;
  let busy = false;
  let showAll = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {AbortController | undefined} */
  let restoring;

  const editor = new Editor({
    label: t("write.label"),
    placeholder: t("write.placeholder"),
    family,
    onInput: changed,
    onPick: (mark, [start, end], at) => choose(editor.text.slice(start, end), mark, at),
  });
  editor.text = draft.text;

  const count = el("span", { class: "note", id: "count" });
  const veiled = el("div", {
    class: "veiled",
    id: "veiled",
    tabindex: "0",
    role: "group",
    "aria-label": t("write.veiled"),
    on: {
      click: (/** @type {MouseEvent} */ event) => {
        const node = /** @type {HTMLElement} */ (event.target).closest("mark");
        const change = node && last?.answer.changes[Number(node.dataset.index)];
        if (change && last) {
          const value = last.text.slice(...change.at);
          choose(value, { start: change.at[0], end: change.at[1], ...change }, node.getBoundingClientRect());
        }
      },
      // What is copied by hand leaves as well, so it is recorded.
      copy: () => void call("release", request()).catch((error) => toast(error.message, "bad")),
    },
  });
  const working = el("span", { class: "note working", hidden: true }, t("write.working"));
  const copyButton = el("button", { type: "button", class: "primary", id: "copy", on: { click: copy } }, t("write.copy"));
  const saveButton = el("button", { type: "button", class: "quiet", id: "save", on: { click: saveText } }, t("write.save"));
  const found = el("div", { class: "found", id: "found" });
  const receipt = el("div", { class: "receipt", id: "receipt" });
  const ruleList = el("div", { class: "rules", id: "rules" });
  const fileResult = el("div", { id: "file" });

  const picker = el("input", {
    type: "file",
    id: "picker",
    class: "unseen",
    tabindex: "-1",
    "aria-label": t("write.open"),
    accept: [".txt,.md,.csv,.jsonl,.ndjson,text/plain", ...(program.documents ?? []).map((/** @type {string} */ one) => `.${one}`)].join(","),
    on: {
      change: () => {
        if (picker.files?.[0]) void openFile(picker.files[0]);
        picker.value = "";
      },
    },
  });

  const answer = el("textarea", {
    id: "answer",
    class: "plain-field",
    "aria-label": t("write.answerLabel"),
    placeholder: t("write.answerPlaceholder"),
    spellcheck: "false",
    rows: "6",
    on: { input: () => void restore() },
  });
  const restored = el("div", { class: "veiled small", id: "restored", tabindex: "0", role: "group", "aria-label": t("write.restored") });
  const restoredNote = el("span", { class: "note" });

  const task = el("input", {
    id: "task",
    type: "text",
    value: draft.task,
    placeholder: t("write.taskPlaceholder"),
    autocomplete: "off",
    "aria-describedby": "task-hint",
    on: {
      input: () => {
        draft.task = task.value;
        again();
      },
    },
  });

  const levelHint = el("p", { class: "hint", id: "level-hint" });
  const slider = el("input", {
    id: "level",
    type: "range",
    min: "0",
    max: "2",
    step: "1",
    value: String(LEVELS.indexOf(draft.level)),
    "aria-describedby": "level-hint",
    on: {
      input: () => {
        draft.level = LEVELS[Number(slider.value)];
        save({ level: draft.level });
        showLevel();
        again();
      },
    },
  });
  const levelNames = LEVELS.map((level) => el("span", { data: { level } }, t(`write.levels.${level}`)));

  function showLevel() {
    slider.setAttribute("aria-valuetext", t(`write.levels.${draft.level}`));
    levelHint.textContent = t(`write.levelHint.${draft.level}`);
    for (const name of levelNames) name.classList.toggle("on", name.dataset.level === draft.level);
  }

  const left = card(
    t("write.title"),
    {
      class: "pane",
      note: null,
      tools: [
        count,
        el("button", { type: "button", class: "quiet", id: "example", on: { click: () => setText(EXAMPLE) } }, t("write.example")),
        el("button", { type: "button", class: "quiet", on: { click: () => picker.click() } }, t("write.open")),
        el("button", { type: "button", class: "quiet", id: "clear", on: { click: clear } }, t("write.clear")),
      ],
    },
    editor.node,
    picker,
  );
  const right = card(t("write.veiled"), { class: "pane", tools: [working, saveButton, copyButton] }, veiled);

  const node = el(
    "div",
    {
      class: "write",
      on: {
        dragover: (/** @type {DragEvent} */ event) => {
          if (!event.dataTransfer?.types.includes("Files")) return;
          event.preventDefault();
          node.classList.add("dropping");
        },
        dragleave: (/** @type {DragEvent} */ event) => {
          if (!node.contains(/** @type {Node} */ (event.relatedTarget))) node.classList.remove("dropping");
        },
        drop: (/** @type {DragEvent} */ event) => {
          event.preventDefault();
          node.classList.remove("dropping");
          const file = event.dataTransfer?.files[0];
          if (file) void openFile(file);
        },
      },
    },
    el("h1", { class: "unseen" }, t("views.write")),
    el(
      "div",
      { class: "controls" },
      el(
        "div",
        { class: "control strength" },
        el("label", { for: "level" }, t("write.strength")),
        el("div", { class: "slider" }, slider, el("div", { class: "stops", "aria-hidden": "true" }, levelNames)),
        levelHint,
      ),
      el(
        "div",
        { class: "control" },
        el("label", { for: "task" }, t("write.task")),
        task,
        el("p", { class: "hint", id: "task-hint" }, t("write.taskHint")),
      ),
    ),
    el("div", { class: "panes" }, left, right),
    el("p", { class: "hint tip" }, t("write.hint")),
    fileResult,
    el(
      "div",
      { class: "below" },
      card(t("write.foundTitle"), {}, found),
      el("div", { class: "column" }, card(t("receipt.title"), {}, receipt), card(t("write.remembered"), {}, ruleList)),
    ),
    el(
      "div",
      { class: "panes answers" },
      card(t("write.answer"), { class: "pane" }, answer),
      card(
        t("write.restored"),
        {
          class: "pane",
          tools: [
            restoredNote,
            el(
              "button",
              {
                type: "button",
                class: "quiet",
                id: "copy-restored",
                on: { click: () => void toClipboard(restored.dataset.text ?? "", t("write.copied")) },
              },
              t("write.copyRestored"),
            ),
          ],
        },
        restored,
      ),
    ),
    el("div", { class: "drop-cover", "aria-hidden": "true" }, t("write.drop")),
  );

  /** The text was changed by the user. */
  function changed() {
    draft.text = editor.text;
    typing = true;
    version++;
    if (last) editor.show(shift(marksOf(last), last.text, draft.text));
    else editor.draw();
    showCount();
    pump();
  }

  /** Something else was changed: the strength, the task, or a decision. */
  function again() {
    typing = false;
    version++;
    pump();
    void restore();
  }

  /** Asks the program, one question at a time, until the answer is that of the text at hand. */
  function pump() {
    clearTimeout(timer);
    if (busy || answered === version) return;
    if (draft.text.trim() === "") {
      answered = version;
      last = null;
      show();
      return;
    }
    const isLong = typing && (draft.text.length > LONG || taken > SLOW);
    busy = true;
    void (isLong ? quick() : careful()).finally(() => {
      busy = false;
      if (answered === version) return;
      if (isLong) timer = setTimeout(() => void slow(), Math.min(PAUSE, taken || PAUSE));
      else pump();
    });
  }

  /** Veils a long text after a pause. */
  async function slow() {
    if (busy) return;
    busy = true;
    working.hidden = false;
    await careful();
    busy = false;
    working.hidden = answered === version;
    if (answered !== version) pump();
  }

  async function quick() {
    const [text, asked, begun] = [draft.text, version, performance.now()];
    try {
      const { marks } = await call("marks", { text });
      if (asked === version || draft.text === text) {
        editor.show(last ? join(marksOf(last), last.text, marks, text) : marks);
        showCount();
        measured("marks", text, begun);
      }
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  async function careful() {
    const [asked, begun] = [version, performance.now()];
    const body = request();
    try {
      const answer = await call("veil", body);
      last = { text: body.text, answer };
      taken = performance.now() - begun;
      answered = Math.max(answered, asked);
      show();
      measured("veil", body.text, begun);
    } catch (error) {
      answered = asked;
      toast(/** @type {Error} */ (error).message, "bad");
    }
    working.hidden = true;
  }

  /** Tells tests how long an answer took. @param {string} what @param {string} text @param {number} begun */
  function measured(what, text, begun) {
    const detail = { what, length: text.length, ms: performance.now() - begun };
    document.dispatchEvent(new CustomEvent("inkveil-shown", { detail }));
  }

  /** The marks of an answer, in its own text. @param {{ text: string, answer: any }} of @returns {Mark[]} */
  function marksOf({ answer }) {
    const marks = answer.changes
      .filter((/** @type {any} */ change) => change.kind)
      .map((/** @type {any} */ change) => ({ start: change.at[0], end: change.at[1], kind: change.kind, why: change.why }));
    const kept = answer.kept.map((/** @type {[number, number]} */ [start, end]) => ({ start, end, kind: null, why: null, way: "kept" }));
    return [...marks, ...kept].sort((one, other) => one.start - other.start);
  }

  /** Shows the last answer. */
  function show() {
    if (!last) {
      editor.show([]);
      fill(veiled, el("p", { class: "empty" }, t("write.veiledEmpty")));
      fill(found, el("p", { class: "empty" }, t("write.foundEmpty")));
      fill(receipt, el("p", { class: "empty" }, t("receipt.empty")));
    } else {
      const { text, answer } = last;
      editor.show(shift(marksOf(last), text, draft.text));
      showVeiled(answer);
      showFound();
      fill(receipt, ...receiptView(answer.receipt, answer.counts));
    }
    copyButton.disabled = saveButton.disabled = !last;
    showCount();
  }

  function showCount() {
    const many = words(draft.text);
    const number_ = many === 1 ? t("write.word") : t("write.words", { n: number(many) });
    const marks = editor.marks.filter((mark) => mark.kind).length;
    count.textContent = marks ? `${number_} · ${t("write.found", { n: number(marks) })}` : number_;
  }

  /** @param {any} answer */
  function showVeiled(answer) {
    const pieces = [];
    let at = 0;
    const changes = answer.changes
      .map((/** @type {any} */ change, /** @type {number} */ index) => ({ ...change, index }))
      .filter((/** @type {any} */ change) => change.to && change.to[0] < change.to[1])
      .sort((/** @type {any} */ one, /** @type {any} */ other) => one.to[0] - other.to[0]);
    for (const change of changes) {
      const [start, end] = change.to;
      if (start < at) continue;
      pieces.push(answer.text.slice(at, start));
      const name = change.kind ? `k ${family(change.kind)}` : "noise";
      const title = [kindName(change.kind), change.how].filter(Boolean).join(": ");
      pieces.push(el("mark", { class: name, title, data: { index: change.index } }, answer.text.slice(start, end)));
      at = end;
    }
    pieces.push(answer.text.slice(at));
    fill(veiled, ...pieces);
    if (!answer.changes.length) veiled.append(el("p", { class: "empty after" }, t("write.same")));
  }

  /** Lists what was found: each value once. */
  function showFound() {
    if (!last) return;
    const { text, answer } = last;
    /** @type {Map<string, any>} */
    const rows = new Map();
    for (const change of answer.changes.filter((/** @type {any} */ one) => one.kind)) {
      const value = text.slice(...change.at);
      const known = rows.get(value);
      if (known) known.times++;
      else rows.set(value, { ...change, value, times: 1, to: change.to ? answer.text.slice(...change.to) : "" });
    }
    for (const [start, end] of answer.kept) {
      const value = text.slice(start, end);
      const known = rows.get(value);
      if (known) known.times++;
      else rows.set(value, { value, times: 1, kept: true, kind: null, at: [start, end] });
    }
    const all = [...rows.values()].sort((one, other) => one.at[0] - other.at[0]);
    const shown = showAll ? all : all.slice(0, LISTED);
    fill(
      found,
      all.length ? el("ul", { class: "finds" }, shown.map(row)) : el("p", { class: "empty" }, t("write.same")),
      all.length > shown.length
        ? el(
            "button",
            {
              type: "button",
              class: "quiet",
              on: {
                click: () => {
                  showAll = true;
                  showFound();
                },
              },
            },
            t("write.more", { n: all.length }),
          )
        : null,
    );
  }

  /** @param {any} one */
  function row(one) {
    const button = el(
      "button",
      {
        type: "button",
        class: "find",
        on: { click: () => choose(one.value, one, button.getBoundingClientRect()) },
      },
      el("i", { class: `dot k ${one.kept ? "kept" : family(one.kind)}`, "aria-hidden": "true" }),
      el(
        "span",
        { class: "find-words" },
        el("span", { class: "find-value" }, one.value, one.times > 1 ? el("small", {}, ` × ${one.times}`) : null),
        one.kept ? null : el("span", { class: "find-to" }, el("span", { "aria-hidden": "true" }, "→ "), one.to || "–"),
      ),
      el("span", { class: "find-why" }, one.kept ? t("write.kept") : `${kindName(one.kind)} · ${one.why ?? ""}`),
    );
    return el("li", {}, button);
  }

  /** Asks what to do with a value. @param {string} value @param {any} mark @param {DOMRect} at */
  function choose(value, mark, at) {
    const literal = value.trim();
    if (!literal) return;
    const decided = decisionOn(literal);
    const isFound = Boolean(mark?.kind);
    const act = (/** @type {() => void} */ change) => () => {
      change();
      showRules();
      again();
    };
    /** @type {{ label: string, hint?: string, run: () => void }[]} */
    const items = [];
    if (isFound) {
      items.push({ label: t("menu.keep"), hint: t("menu.keepHint"), run: act(() => decide({ literal, action: "keep" })) });
      if (mark.way !== "changed" && mark.way !== "noised") {
        items.push({ label: t("menu.another"), run: act(() => decide({ literal, action: "another" })) });
      }
    } else if (decided?.action !== "replace") {
      const as = (/** @type {string | undefined} */ kind, /** @type {string} */ label) => ({
        label,
        run: act(() => decide({ literal, action: "replace", kind })),
      });
      items.push({ ...as(undefined, t("menu.replace")), hint: t("menu.replaceHint") });
      for (const kind of ["person", "organisation", "location"]) items.push(as(kind, t("menu.as", { kind: kindName(kind) })));
    }
    if (decided) {
      items.push({
        label: t("menu.undo"),
        run: act(() => {
          undecide(literal);
          forget(literal);
        }),
      });
    }
    const forever = (/** @type {"keep" | "replace"} */ action) =>
      act(() => {
        undecide(literal);
        remember({ literal, action, kind: mark?.kind ?? undefined });
      });
    items.push({ label: t("menu.always"), hint: t("menu.saved"), run: forever("replace") });
    items.push({ label: t("menu.never"), hint: t("menu.saved"), run: forever("keep") });
    const about = [mark?.kind ? `${kindName(mark.kind)} · ${mark.why ?? ""}` : "", kinds.get(mark?.kind)?.about ?? ""];
    openMenu(at, { title: literal, about: about.filter(Boolean), items });
  }

  /** Lists the words that are always or never veiled. */
  function showRules() {
    const { rules } = load();
    const line = (/** @type {import("./settings.js").Rule} */ rule) =>
      el(
        "li",
        {},
        el("span", {}, rule.literal),
        el("span", { class: "note" }, rule.action === "keep" ? t("write.neverVeil") : t("write.alwaysVeil")),
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": `${t("write.forget")}: ${rule.literal}`,
            on: {
              click: () => {
                forget(rule.literal);
                showRules();
                again();
              },
            },
          },
          t("write.forget"),
        ),
      );
    fill(ruleList, rules.length ? el("ul", {}, rules.map(line)) : el("p", { class: "empty" }, t("write.rememberedEmpty")));
  }

  /** Waits until the veiled text is that of the text at hand. */
  async function settled() {
    while (answered !== version || busy) {
      if (!busy) {
        clearTimeout(timer);
        await slow();
      } else {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async function copy() {
    await settled();
    try {
      const released = await call("release", request());
      await toClipboard(released.text, t("write.copied"));
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  async function saveText() {
    await settled();
    try {
      const released = await call("release", request());
      download("veiled.txt", released.text, "text/plain");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  async function restore() {
    restoring?.abort();
    const text = answer.value;
    if (!text.trim() || !draft.text.trim()) {
      restored.dataset.text = "";
      restoredNote.textContent = "";
      fill(restored, el("p", { class: "empty" }, t("write.restoredEmpty")));
      return;
    }
    restoring = new AbortController();
    const { signal } = restoring;
    try {
      const back = await call("restore", { ...request(), answer: text }, signal);
      restored.dataset.text = back.answer;
      fill(restored, ...marked(back.answer, back.originals));
      const notes = [t("write.restoredCount", { n: back.restored })];
      if (back.unsure) notes.push(t("write.unsure", { n: back.unsure }));
      restoredNote.textContent = notes.join(" · ");
    } catch (error) {
      if (!signal.aborted) toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** A text with its originals marked. @param {string} text @param {string[]} originals */
  function marked(text, originals) {
    const longest = [...originals].sort((one, other) => other.length - one.length);
    if (!longest.length) return [text];
    const escape = (/** @type {string} */ word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const search = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longest.map(escape).join("|")})(?![\\p{L}\\p{N}])`, "gu");
    const pieces = [];
    let at = 0;
    for (const hit of text.matchAll(search)) {
      pieces.push(text.slice(at, hit.index), el("mark", { class: "back" }, hit[0]));
      at = hit.index + hit[0].length;
    }
    return [...pieces, text.slice(at)].filter((piece) => piece !== "");
  }

  /** @param {string} text */
  function setText(text) {
    renew();
    draft.text = text;
    editor.text = text;
    last = null;
    fill(fileResult);
    changed();
    editor.field.focus();
  }

  function clear() {
    answer.value = "";
    setText("");
    void restore();
  }

  /**
   * A document goes to the program as bytes. Its text is shown, and it is saved in its own format.
   * @param {File} file
   */
  async function openDocument(file) {
    if (file.size > LARGEST_DOCUMENT) return toast(t("write.tooLargeDocument"), "bad");
    try {
      const content = toBase64(new Uint8Array(await file.arrayBuffer()));
      const read = await call("document/text", { name: file.name, content });
      setText(read.text);
      const removed = read.removed.map((/** @type {[string, number]} */ [what, times]) => `${what} (${number(times)})`);
      const saveDocument = async () => {
        await settled();
        try {
          const done = await call("document", { ...request(), name: file.name, content });
          const name = file.name.replace(/\.[^.]+$/, `.veiled.${done.extension}`);
          download(name, fromBase64(done.content), done.media_type);
          toast(t("write.documentSaved", { name, changed: number(done.changed) }));
        } catch (error) {
          toast(/** @type {Error} */ (error).message, "bad");
        }
      };
      fill(
        fileResult,
        card(
          file.name,
          { tools: el("button", { type: "button", class: "primary", id: "save-file", on: { click: () => void saveDocument() } }, t("write.documentSave")) },
          el("p", { class: "hint" }, t("write.documentAbout")),
          removed.length ? el("p", { class: "hint", id: "removed" }, t("write.removed", { what: removed.join(", ") })) : null,
        ),
      );
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** @param {File} file */
  async function openFile(file) {
    const ending = file.name.toLowerCase().match(/[^.]+$/)?.[0] ?? "";
    if (program.documents?.includes(ending)) return openDocument(file);
    if (file.size > LARGEST) return toast(t("write.tooLarge"), "bad");
    if (!/\.(txt|md|markdown|csv|jsonl|ndjson|text)$/i.test(file.name) && !file.type.startsWith("text/")) {
      return toast(t("write.unknownFile"), "bad");
    }
    const text = await file.text();
    let parts;
    try {
      parts = takeApart(file.name, text);
    } catch (error) {
      return toast(t("write.badFile", { name: file.name, where: /** @type {Error} */ (error).message }), "bad");
    }
    if (!parts) return setText(text);
    try {
      const { text: _, ...how } = request();
      const done = await call("table", { ...how, texts: parts.texts, fields: parts.fields });
      const content = parts.put(done.texts);
      const about = t("write.table", {
        name: file.name,
        rows: number(parts.rows),
        changed: number(done.changed),
        texts: number(parts.texts.length),
      });
      const name = file.name.replace(/(\.[^.]+)$/, ".veiled$1");
      fill(
        fileResult,
        card(
          t("write.tableTitle"),
          {
            note: about,
            tools: el(
              "button",
              { type: "button", class: "primary", id: "save-file", on: { click: () => download(name, content, file.type || "text/plain") } },
              t("write.tableSave"),
            ),
          },
          el("pre", { class: "words", id: "file-text", tabindex: "0", "aria-label": t("write.tableTitle") }, content.slice(0, 4000)),
        ),
      );
      say(about);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  showLevel();
  showRules();
  show();
  void restore();
  if (draft.text) changed();
  return {
    node,
    leave: () => {
      clearTimeout(timer);
      closeMenu();
    },
  };
}

/** @param {Uint8Array} bytes @returns {string} */
function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function fromBase64(text) {
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

/** @param {string} text @param {string} message */
async function toClipboard(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    toast(message);
  } catch {
    toast(text.slice(0, 80), "bad");
  }
}
