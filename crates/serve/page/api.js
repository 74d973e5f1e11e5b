// Talks to the program that served this page, and to nothing else.

const TOKEN = "inkveil-token";

/** What the program says when it refuses. */
export class Refusal extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message.replace(/^inkveil: /, ""));
    this.status = status;
    this.code = code;
  }
}

/** @returns {string} */
function token() {
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Whether this tab has entered before. @returns {boolean} */
export function hasEntered() {
  return token() !== "";
}

/**
 * Exchanges a key for the token of this tab.
 * @param {string} key
 */
export async function enter(key) {
  const answer = await send("/page/api/enter", { key });
  sessionStorage.setItem(TOKEN, answer.token);
}

/** The key in the address, if there is one. It is removed from the address at once. @returns {string | null} */
export function takeKey() {
  const found = location.hash.match(/^#key=([0-9a-zA-Z_-]+)/);
  if (!found) return null;
  history.replaceState(null, "", location.pathname);
  return found[1];
}

/**
 * Asks the program.
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function call(path, body = {}, signal) {
  return send(`/page/api/${path}`, body, signal);
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
async function send(path, body, signal) {
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-inkveil-page": token() },
      body: JSON.stringify(body),
      cache: "no-store",
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(0, "gone", "The program does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { code = "", message = response.statusText } = answer.error ?? {};
    throw new Refusal(response.status, code, message);
  }
  return answer;
}

/** The bytes of a file that the program keeps. @param {string} path @returns {Promise<ArrayBuffer>} */
export async function bytes(path) {
  const response = await fetch(`/page/api/${path}`, { headers: { "x-inkveil-page": token() } });
  if (!response.ok) throw new Refusal(response.status, "", response.statusText);
  return response.arrayBuffer();
}

/**
 * Listens to events until the signal says to stop.
 * @param {string} path
 * @param {(event: any) => void} onEvent
 * @param {AbortSignal} signal
 */
export async function listen(path, onEvent, signal) {
  const response = await fetch(`/page/api/${path}`, { headers: { "x-inkveil-page": token() }, signal });
  if (!response.ok || !response.body) throw new Refusal(response.status, "", response.statusText);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data && !event.startsWith("event: ")) onEvent(JSON.parse(data.slice(6)));
    }
  }
}
