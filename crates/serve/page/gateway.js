// The view Gateway: requests as they pass, without text, the ledger, and receipts.

import { call, listen } from "./api.js";
import { bars, columns } from "./charts.js";
import { card, el, fill, say, toast } from "./dom.js";
import { program } from "./draft.js";
import { kindName, number, t } from "./strings.js";

/** The most rows that are shown, and the minutes of the chart. */
const ROWS = 60;
const MINUTES = 30;

/** @returns {{ node: HTMLElement, leave: () => void }} */
export function gatewayView() {
  /** @type {any[]} */
  let events = [];
  let left = false;
  let controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const tiles = el("div", { class: "tiles", id: "tiles" });
  const table = el("div", { class: "scroll", id: "requests", tabindex: "0", role: "group", "aria-label": t("gateway.title") });
  const kinds = el("div", { id: "kinds" });
  const minutes = el("div", { id: "minutes" });
  const ledger = el("div", { id: "ledger" });
  const opened = el("div", { id: "opened" });
  const field = el("textarea", { id: "receipt-field", class: "plain-field short", "aria-label": t("gateway.receiptLabel"), rows: "3", spellcheck: "false" });

  function show() {
    const values = events.reduce((sum, event) => sum + event.found, 0);
    const added = events.filter((event) => event.veiling_ms !== undefined).map((event) => event.veiling_ms).sort((a, b) => a - b);
    const median = added.length ? `${number(added[Math.floor(added.length / 2)], 1)} ms` : "–";
    const refused = events.filter((event) => event.refused).length;
    const tile = (/** @type {string} */ value, /** @type {string} */ name) =>
      el("div", { class: "tile" }, el("strong", {}, value), el("span", {}, name));
    fill(
      tiles,
      tile(number(events.length), t("gateway.tiles.requests")),
      tile(number(values), t("gateway.tiles.values")),
      tile(number(refused), t("gateway.tiles.refused")),
      tile(median, t("gateway.tiles.added")),
    );
    if (!events.length) {
      fill(
        table,
        el("p", { class: "empty" }, t("gateway.none")),
        program.upstream || program.anthropic
          ? el("p", { class: "empty" }, t("gateway.noneHow"))
          : el("p", { class: "empty" }, t("gateway.noUpstream")),
        el("pre", { class: "command" }, `base_url="${location.origin}/v1"`),
      );
    } else {
      const heads = ["time", "key", "route", "mode", "found", "added", "status"];
      fill(
        table,
        el(
          "table",
          { role: "table" },
          el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((head) => el("th", { scope: "col", role: "columnheader", class: `c-${head}` }, t(`gateway.columns.${head}`))))),
          el("tbody", { role: "rowgroup" }, events.slice(-ROWS).reverse().map(row)),
        ),
      );
    }
    const sums = new Map();
    for (const event of events) {
      for (const [kind, count] of Object.entries(event.kinds ?? {})) sums.set(kind, (sums.get(kind) ?? 0) + Number(count));
    }
    const most = Math.max(...sums.values(), 1);
    const sorted = [...sums].sort((one, other) => other[1] - one[1]).slice(0, 10);
    fill(
      kinds,
      sorted.length
        ? bars(t("gateway.kinds"), sorted.map(([kind, count]) => ({ name: kindName(kind), share: count / most, text: number(count) })))
        : el("p", { class: "empty" }, t("gateway.none")),
    );
    const now = Date.now() / 60000;
    const counts = Array.from({ length: MINUTES }, () => 0);
    for (const event of events) {
      const ago = Math.floor(now - event.time / 60);
      if (ago >= 0 && ago < MINUTES) counts[MINUTES - 1 - ago]++;
    }
    fill(minutes, columns(t("gateway.minutes"), counts));
  }

  /** @param {any} event */
  function row(event) {
    const time = new Date(1000 * event.time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
    const found = Object.entries(event.kinds ?? {}).filter(([, count]) => Number(count) > 0).map(([kind, count]) => `${kindName(kind)} ${count}`);
    return el(
      "tr",
      { role: "row", class: event.refused ? "refused" : "" },
      el("td", { role: "cell", class: "c-time" }, time),
      el("td", { role: "cell", class: "c-key" }, event.key ?? t("gateway.noKey")),
      el("td", { role: "cell", class: "c-route" }, event.route),
      el("td", { role: "cell", class: "c-mode" }, event.mode ?? ""),
      el("td", { role: "cell", class: "c-found" }, found.join(", ") || "0"),
      el("td", { role: "cell", class: "c-added" }, event.veiling_ms === undefined ? "–" : `${number(event.veiling_ms, 1)} ms`),
      el(
        "td",
        { role: "cell", class: "c-status" },
        event.receipt
          ? el(
              "button",
              { type: "button", class: "link", on: { click: () => void open({ id: event.receipt }) } },
              t("gateway.ok", { status: event.status }),
            )
          : event.refused
            ? t("gateway.refused", { code: event.refused })
            : t("gateway.ok", { status: event.status }),
      ),
    );
  }

  async function follow() {
    while (!left) {
      events = [];
      controller = new AbortController();
      try {
        await listen(
          "events",
          (event) => {
            events = [...events, event].slice(-500);
            clearTimeout(timer);
            timer = setTimeout(() => {
              show();
              void showLedger();
            }, 60);
          },
          controller.signal,
        );
      } catch {
        if (left) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  async function showLedger() {
    try {
      const answer = await call("ledger");
      if (!answer.kept) return fill(ledger, el("p", { class: "empty" }, t("gateway.noLedger")));
      if (!answer.totals.length) return fill(ledger, el("p", { class: "empty" }, t("gateway.ledgerEmpty")));
      fill(
        ledger,
        bars(
          t("gateway.ledger"),
          answer.totals.map((/** @type {any} */ total) => ({
            name: `${total.name ?? total.scope} · ${total.measure}`,
            share: total.share ?? 0,
            tone: total.share > 0.9 ? "changed" : "accent",
            text: [
              t("gateway.spent", { n: total.epsilon }),
              total.limit ? t("gateway.left", { n: total.left, limit: total.limit }) : null,
              t("gateway.releases", { n: number(total.releases) }),
            ]
              .filter(Boolean)
              .join(" · "),
          })),
        ),
        answer.limits?.length ? el("ul", { class: "plain" }, answer.limits.map((/** @type {string} */ limit) => el("li", {}, limit))) : null,
      );
    } catch (error) {
      fill(ledger, el("p", { class: "empty" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {{ id?: string, receipt?: string }} which */
  async function open(which) {
    try {
      const answer = await call("receipt", which);
      fill(
        opened,
        answer.problems.length
          ? el("div", { class: "caution" }, el("p", {}, t("gateway.problems")), el("ul", {}, answer.problems.map((/** @type {string} */ one) => el("li", {}, one))))
          : el("p", { class: "good" }, t("gateway.valid")),
        el("pre", { class: "words", tabindex: "0", "aria-label": t("gateway.receipts") }, answer.in_words),
      );
      say(answer.problems.length ? t("gateway.problems") : t("gateway.valid"));
      opened.scrollIntoView({ block: "nearest" });
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  const hosts = [program.upstream, program.anthropic].filter(Boolean);
  const node = el(
    "div",
    { class: "gateway-view" },
    el("h1", { class: "unseen" }, t("views.gateway")),
    tiles,
    card(
      t("gateway.title"),
      { tools: el("span", { class: "live" }, el("i", { class: "pulse", "aria-hidden": "true" }), t("gateway.live")) },
      el("p", { class: "hint" }, [t("gateway.about"), hosts.length ? ` ${t("gateway.to", { host: hosts.join(", ") })}` : ""]),
      table,
    ),
    el("div", { class: "panes even" }, card(t("gateway.kinds"), {}, kinds), card(t("gateway.minutes"), {}, minutes)),
    el(
      "div",
      { class: "panes even" },
      card(t("gateway.ledger"), {}, ledger),
      card(
        t("gateway.receipts"),
        {},
        el("p", { class: "hint" }, t("gateway.receiptsAbout")),
        field,
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            id: "check-receipt",
            on: {
              click: () => {
                const text = field.value.trim();
                void open(text.startsWith("{") ? { receipt: text } : { id: text });
              },
            },
          },
          t("gateway.check"),
        ),
        opened,
      ),
    ),
  );
  show();
  void showLedger();
  void follow();
  return {
    node,
    leave: () => {
      left = true;
      clearTimeout(timer);
      controller.abort();
    },
  };
}
