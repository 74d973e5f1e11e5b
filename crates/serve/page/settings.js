// What this browser remembers: the theme, the strength, and words that are always or never veiled.
// The texts themselves are never stored.

const KEY = "inkveil-settings";

/**
 * @typedef {{ literal: string, action: "keep" | "replace", kind?: string }} Rule
 * @typedef {{ theme: "auto" | "light" | "dark", level: "light" | "medium" | "strict", rules: Rule[] }} Settings
 */

/** @type {Settings} */
const defaults = { theme: "auto", level: "light", rules: [] };

/** @returns {Settings} */
export function load() {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...defaults };
  }
}

/** @param {Partial<Settings>} change @returns {Settings} */
export function save(change) {
  const next = { ...load(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // A browser without storage forgets the settings; the page works all the same.
  }
  return next;
}

/** Remembers what is done with a word from now on. @param {Rule} rule */
export function remember(rule) {
  const rules = load().rules.filter((known) => known.literal !== rule.literal);
  save({ rules: [...rules, rule] });
}

/** Forgets what was decided about a word. @param {string} literal */
export function forget(literal) {
  save({ rules: load().rules.filter((known) => known.literal !== literal) });
}

/** Shows the page in the chosen theme. */
export function applyTheme() {
  const { theme } = load();
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}
