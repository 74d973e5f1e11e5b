// The text at hand, which all views share. It lives in this tab only.

import { load } from "./settings.js";

/** @typedef {{ literal: string, action: "keep" | "replace" | "another", kind?: string }} Decision */

/** @returns {string} */
function freshSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const draft = {
  text: "",
  task: "",
  level: load().level,
  /** Replacements stay the same within a session. */
  session: freshSession(),
  /** @type {Decision[]} */
  decisions: [],
};

/** The kinds of the detector, with their families. @type {Map<string, { family: string, about: string }>} */
export const kinds = new Map();

/** What the program said about itself. @type {any} */
export const program = {};

/** The family of a kind. @param {string | null} kind @returns {string} */
export function family(kind) {
  return (kind && kinds.get(kind)?.family) || "other";
}

/** What the program needs to veil the text at hand. */
export function request() {
  const { text, task, level, session, decisions } = draft;
  return { text, task, level, session, overrides: [...load().rules, ...decisions] };
}

/** What was decided about a word, if anything. @param {string} literal @returns {Decision | undefined} */
export function decisionOn(literal) {
  const all = [...load().rules, ...draft.decisions];
  return all.filter((one) => one.literal === literal && one.action !== "another").pop();
}

/** Decides about a word in this text. @param {Decision} decision */
export function decide(decision) {
  if (decision.action !== "another") undecide(decision.literal);
  draft.decisions.push(decision);
}

/** Takes back what was decided about a word in this text. @param {string} literal */
export function undecide(literal) {
  draft.decisions = draft.decisions.filter((one) => one.literal !== literal);
}

/** Starts with a new text. */
export function renew() {
  Object.assign(draft, { text: "", session: freshSession(), decisions: [] });
}
