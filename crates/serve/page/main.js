// Starts the page: the key, the views, the theme.

import { call, enter, hasEntered, takeKey } from "./api.js";
import { attackView } from "./attack.js";
import { el, fill, toast } from "./dom.js";
import { kinds, program } from "./draft.js";
import { gatewayView } from "./gateway.js";
import { closeMenu } from "./menu.js";
import { applyTheme, load, save } from "./settings.js";
import { t } from "./strings.js";
import { styleView } from "./style.js";
import { vectorsView } from "./vectors.js";
import { writeView } from "./write.js";

const VIEWS = { write: writeView, style: styleView, vectors: vectorsView, gateway: gatewayView, attack: attackView };

/** @typedef {keyof typeof VIEWS} ViewName */

const view = /** @type {HTMLElement} */ (document.getElementById("view"));
const top_ = /** @type {HTMLElement} */ (document.getElementById("top"));
const foot = /** @type {HTMLElement} */ (document.getElementById("foot"));

/** @type {{ node: HTMLElement, leave: () => void } | null} */
let open = null;

/** The view that the address names. @returns {ViewName} */
function named() {
  const name = location.hash.slice(1);
  return name in VIEWS ? /** @type {ViewName} */ (name) : "write";
}

function drawTop() {
  const link = (/** @type {string} */ name) =>
    el("a", { href: `#${name}`, id: `to-${name}`, "aria-current": named() === name ? "page" : null }, t(`views.${name}`));
  const { theme } = load();
  const choose = el(
    "select",
    {
      id: "theme",
      "aria-label": t("theme"),
      on: {
        change: () => {
          save({ theme: choose.value });
          applyTheme();
        },
      },
    },
    ["auto", "light", "dark"].map((name) => el("option", { value: name, selected: name === theme }, t(`themes.${name}`))),
  );
  fill(
    top_,
    el(
      "div",
      { class: "bar-inner" },
      el("a", { href: "#write", class: "brand" }, el("img", { src: "/page/icon.svg", alt: "", width: "28", height: "28" }), t("brand")),
      el("nav", { "aria-label": "inkveil" }, Object.keys(VIEWS).map(link)),
      el(
        "div",
        { class: "right" },
        el("span", { class: "local", title: t("localHint") }, el("i", { class: "pulse", "aria-hidden": "true" }), t("local")),
        choose,
      ),
    ),
  );
}

function drawFoot() {
  fill(
    foot,
    el("span", {}, t("foot", { version: program.version ?? "", tier: program.tier ?? "" })),
    el(
      "button",
      {
        type: "button",
        class: "link",
        on: {
          click: async () => {
            try {
              const { key } = await call("link");
              window.open(`${location.origin}/#key=${key}`, "_blank", "noopener");
            } catch (error) {
              toast(/** @type {Error} */ (error).message, "bad");
            }
          },
        },
      },
      t("window"),
    ),
  );
}

/** Shows the view that the address names. @param {boolean} [move] */
function show(move = false) {
  open?.leave();
  closeMenu();
  open = VIEWS[named()]();
  fill(view, open.node);
  document.title = `${t(`views.${named()}`)} · inkveil`;
  drawTop();
  if (move) {
    scrollTo(0, 0);
    view.focus({ preventScroll: true });
  }
}

/** Asks for a key. @param {string} [message] */
function askForKey(message) {
  const field = el("input", { id: "key", type: "password", autocomplete: "off" });
  fill(
    view,
    el(
      "form",
      {
        class: "card enter",
        on: {
          submit: async (/** @type {Event} */ event) => {
            event.preventDefault();
            try {
              await enter(field.value.trim());
              await start();
            } catch {
              askForKey(t("enter.wrong"));
            }
          },
        },
      },
      el("h1", {}, t("enter.title")),
      el("p", {}, t("enter.about")),
      message ? el("p", { class: "caution", role: "alert" }, message) : null,
      el("label", { for: "key" }, t("enter.label")),
      field,
      el("button", { type: "submit", class: "primary" }, t("enter.button")),
    ),
  );
  field.focus();
}

async function start() {
  const state = await call("state");
  Object.assign(program, state);
  for (const { name, family, about } of state.kinds) kinds.set(name, { family, about });
  show();
  drawFoot();
  document.documentElement.dataset.ready = "yes";
}

async function boot() {
  const skip = document.querySelector(".skip");
  if (skip) skip.textContent = t("skip");
  skip?.addEventListener("click", (event) => {
    event.preventDefault();
    view.focus();
  });
  applyTheme();
  drawTop();
  const key = takeKey();
  try {
    if (key) await enter(key);
    else if (!hasEntered()) return askForKey();
    await start();
  } catch (error) {
    const { status } = /** @type {any} */ (error);
    askForKey(status === 0 ? t("gone") : undefined);
  }
}

addEventListener("hashchange", () => {
  const key = takeKey();
  if (key) void enter(key).then(start, () => askForKey(t("enter.wrong")));
  else if (document.documentElement.dataset.ready) show(true);
});
void boot();
