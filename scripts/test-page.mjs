// Drives the web page in a real Chromium. scripts/test-page starts it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const [what, program, browserPath, modules] = process.argv.slice(2);
const require = createRequire(path.join(modules, "here.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inkveil-page-"));

const LETTER =
  "Dear Ms Walker,\n\nmy name is Ana Lima and I live in Utrecht. Write to ana.lima@example.org or call +351 912 345 678. " +
  "My colleague Tom Baker from Leeds will answer too.\n\nKind regards\nAna Lima";
const ESSAY =
  "I have, I must confess, never understood the charm of early mornings; they arrive uninvited, and they leave one cold. " +
  "My neighbours rise at five and run along the canal. I do not. I sit by the window with a cup of tea, and I wait until the " +
  "street has made up its mind about the weather. Some people call this lazy; I call it patience. By noon I have usually " +
  "written a page or two, and by evening I have thrown one of them away. It is a slow life, but it suits me well.";

// An upstream that answers as language models do: it repeats the last message, or rewrites a text a little.
const seen = [];
const upstream = http.createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    seen.push(body);
    const document = body ? JSON.parse(body) : {};
    const last = document.messages?.at(-1)?.content ?? "";
    const rewriting = document.messages?.[0]?.content.startsWith("You rewrite texts");
    const text = rewriting
      ? last.split("\n\n").at(-1).replaceAll("I have", "I've").replaceAll(";", ",").replaceAll("usually", "mostly").replaceAll("slow", "quiet")
      : last;
    const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices: Array.from({ length: document.n ?? 1 }, () => choice) }));
  });
});
await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
const upstreamAddress = `http://127.0.0.1:${upstream.address().port}`;

/** Starts the program, and returns its address, the link to its page, and a way to end it. */
async function start(...more) {
  const own = (process.env.INKVEIL_SERVE_ARGS ?? "").split(" ").filter(Boolean);
  const child = spawn(program, ["--listen", "127.0.0.1:0", ...more, ...own], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (piece) => (log += piece));
  const begun = Date.now();
  for (;;) {
    const link = log.match(/the page, once: (\S+)/)?.[1];
    if (link) return { child, link, origin: new URL(link).origin };
    assert(child.exitCode === null && Date.now() - begun < 120_000, log);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const ledger = path.join(folder, "budget.ledger");
const rewriter = `${upstreamAddress}/v1#mock`;
const gateway = await start("--upstream", upstreamAddress, "--ledger", ledger, "--rewriter", rewriter);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const foreign = [];

/** A page that is entered. Every request that it sends is checked. */
async function enter(options = {}, from = gateway) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: from.origin });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (!["blob:", "data:"].includes(protocol) && hostname !== "127.0.0.1") foreign.push(request.url());
  });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error" && !line.text().includes("status of 4")) page.problems.push(line.text());
  });
  const { key } = from.token ? await api("link", {}, from) : { key: new URL(from.link).hash.slice(5) };
  await page.goto(`${from.origin}/#key=${key}`);
  await page.waitForSelector("#level");
  from.token ??= await page.evaluate(() => sessionStorage.getItem("inkveil-token"));
  return page;
}

/** Asks the program as the page does. */
async function api(name, body, from = gateway, headers = {}) {
  const response = await fetch(`${from.origin}/page/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-inkveil-page": from.token ?? "", ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

const shown = (page, what) =>
  page.evaluate(
    (what) => new Promise((resolve) => document.addEventListener("inkveil-shown", (event) => event.detail.what === what && resolve(event.detail), { once: false })),
    what,
  );

async function type(page, text) {
  await page.fill(".editor textarea", text);
  await page.waitForFunction(
    (length) => document.querySelector("#veiled").textContent.length > length / 3 && document.querySelector("#count").textContent.length > 0,
    text.length,
  );
  await page.waitForTimeout(400);
}

async function drop(page, name, content, kind = "text/plain") {
  const transfer = await page.evaluateHandle(
    ([name, content, kind]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], name, { type: kind }));
      return transfer;
    },
    [name, content, kind],
  );
  await page.dispatchEvent(".write", "drop", { dataTransfer: transfer });
}

/** A ZIP archive without compression. */
function zip(files) {
  const crc = (bytes) => {
    let sum = ~0;
    for (const byte of bytes) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
    }
    return ~sum >>> 0;
  };
  const parts = [];
  const list = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const [title, bytes] = [Buffer.from(name), Buffer.from(text)];
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x21, 8);
    about.writeUInt32LE(crc(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), about, title, bytes);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(at, 10);
    list.push(Buffer.from("PK\x01\x02\x14\x00"), about, entry, title);
    at += 30 + title.length + bytes.length;
  }
  const size = list.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, ...list, Buffer.from("PK\x05\x06"), end]);
}

/** A Word document with a formatted name, a tracked deletion and a comment. */
function docx() {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const office = "application/vnd.openxmlformats-officedocument.wordprocessingml";
  const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relations = (list) =>
    `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list}</Relationships>`;
  return zip({
    "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${office}.document.main+xml"/><Override PartName="/word/comments.xml" ContentType="${office}.comments+xml"/></Types>`,
    "_rels/.rels": relations(`<Relationship Id="r1" Type="${types}/officeDocument" Target="word/document.xml"/>`),
    "word/_rels/document.xml.rels": relations(`<Relationship Id="r1" Type="${types}/comments" Target="comments.xml"/>`),
    "word/comments.xml": `<?xml version="1.0"?><w:comments ${w}><w:comment w:id="0" w:author="Eva Horak"><w:p><w:r><w:t>Ask Eva Horak.</w:t></w:r></w:p></w:comment></w:comments>`,
    "word/document.xml": `<?xml version="1.0"?><w:document ${w}><w:body><w:p><w:r><w:t xml:space="preserve">My name is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Ana Lima</w:t></w:r><w:r><w:t xml:space="preserve"> and I live in Utrecht with my cat.</w:t></w:r><w:del w:id="1" w:author="Eva Horak"><w:r><w:delText>Tom Baker</w:delText></w:r></w:del></w:p></w:body></w:document>`,
  });
}

/** A PDF with one line of text. */
function pdf(text) {
  const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let out = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = out.length;
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(`${out}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

async function noViolations(page, name) {
  // The policy forbids scripts in the page, so the tool comes in through the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then((done) => JSON.stringify(done.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? ""))])))',
    awaitPromise: true,
    returnByValue: true,
  });
  assert.deepEqual(JSON.parse(result.value), [], name);
}

const failures = [];
/** Tests with attackers and language models take minutes on a busy machine. */
const SLOW = ["the style is measured", "a concept is found", "attackers run"];
async function test(name, run) {
  if (what === "quick" && SLOW.some((slow) => name.startsWith(slow))) return console.log(`skip ${name}`);
  const begun = Date.now();
  try {
    await run();
    console.log(`ok   ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL ${name}\n     ${String(error.stack ?? error).split("\n").slice(0, 12).join("\n     ")}`);
  }
}

/** Tests of modules without a browser. */
async function modules_() {
  const from = (name) => import(path.resolve("crates/serve/page", name));
  const { csv, jsonl } = await from("tables.js");
  const { differences, join, shift } = await from("spans.js");

  await test("tables are put back byte for byte", async () => {
    const texts = ["", "a", 'q"q', "x,y", "two\nlines", "two\r\nlines", " pad ", "é😀"];
    let seed = 7;
    const next = (below) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
      const separator = [",", ";", "\t"][round % 3];
      const end = ["\n", "\r\n"][round % 2];
      const cell = () => {
        const text = texts[next(texts.length)];
        return /[",;\t\r\n]/.test(text) || next(3) === 0 ? `"${text.replaceAll('"', '""')}"` : text;
      };
      const columns = 2 + next(3);
      const head = Array.from({ length: columns }, (_, at) => `c${at}`).join(separator);
      const rows = Array.from({ length: next(5) }, () => Array.from({ length: columns }, cell).join(separator));
      const table = [head, ...rows].join(end) + (next(2) ? end : "");
      const parts = csv(table);
      assert.equal(parts.put(parts.texts), table);
      assert.equal(parts.texts.length, parts.fields.length);
    }
    const parts = csv("name;city\nAna;Utrecht\n");
    assert.deepEqual([parts.texts, parts.fields], [["Ana", "Utrecht"], ["name", "city"]]);
    assert.equal(parts.put(["B;C", 'D"E']), 'name;city\n"B;C";"D""E"\n');
    const lines = '{"id": 12345678901234567890, "name":"Ana \\"A\\" Lima", "n": [ "x", 1.0 ]}\r\n\n{"name": "é"}';
    const read = jsonl(lines);
    assert.deepEqual(read.texts, ['Ana "A" Lima', "x", "é"]);
    assert.deepEqual(read.fields, ["name", "n", "name"]);
    assert.equal(read.put(read.texts), lines);
    assert.throws(() => jsonl('{"a": 1}\nno'), /line 2/);
  });

  await test("marks move with the text", async () => {
    const mark = (start, end) => ({ start, end, kind: "person", why: null });
    assert.deepEqual(shift([mark(0, 3), mark(10, 13)], "Ana likes Eva.", "Ana really likes Eva."), [mark(0, 3), mark(17, 20)]);
    assert.deepEqual(shift([mark(0, 3)], "Ana", "Anna"), []);
    const [before, after] = ["Ana\nEva\nTom", "Ana\nEvan\nTom"];
    assert.deepEqual(join([mark(0, 3), mark(4, 7), mark(8, 11)], before, [mark(4, 8)], after), [mark(0, 3), mark(4, 8), mark(9, 12)]);
    const pieces = differences("I have a dog.", "I had a dog!");
    assert.equal(pieces.filter((piece) => piece.what !== "in").map((piece) => piece.text).join(""), "I have a dog.");
    assert.equal(pieces.filter((piece) => piece.what !== "out").map((piece) => piece.text).join(""), "I had a dog!");
  });
}

async function tests() {
  await modules_();
  const page = await enter();

  await test("typing marks what is sensitive, with its kind and the reason", async () => {
    await type(page, LETTER);
    const marks = await page.$$eval(".behind mark", (all) => all.map((mark) => mark.textContent));
    for (const value of ["Ana Lima", "Utrecht", "ana.lima@example.org", "+351 912 345 678"]) {
      assert(marks.some((mark) => mark.includes(value)), `${value}: ${marks}`);
    }
    const veiled = await page.textContent("#veiled");
    assert(!veiled.includes("Ana Lima") && !veiled.includes("Utrecht") && veiled.includes("will answer too"), veiled);
    const why = await page.textContent("#found");
    assert(/e-mail · rule email/.test(why), why);
    assert(/odds of an attacker/.test(await page.textContent("#receipt")));
    assert((await page.$$("#receipt svg rect")).length >= 2);
  });

  await test("a word is kept, drawn again, replaced, and decided for good", async () => {
    const choose = async (value, item) => {
      await page.click(`.find:has(.find-value:text-matches("^${value}"))`);
      await page.click(`.menu button:has-text("${item}")`);
      await page.waitForTimeout(500);
    };
    await choose("Utrecht", "Keep it");
    assert((await page.textContent("#veiled")).includes("Utrecht"));
    assert(/You decided: 1 kept/.test(await page.textContent("#receipt")), await page.textContent("#receipt"));
    const before = await page.textContent('.find:has-text("Leeds") .find-to');
    await choose("Leeds", "Another replacement");
    const after = await page.textContent('.find:has-text("Leeds") .find-to');
    assert.notEqual(before, after);
    await choose("Leeds", "Never veil it");
    assert((await page.textContent("#veiled")).includes("Leeds"));
    assert((await page.textContent("#rules")).includes("Leeds"));
    await page.click('#rules button:has-text("Forget")');
    await page.waitForTimeout(500);
    assert(!(await page.textContent("#veiled")).includes("Leeds"));
    // A word that nothing has found: it is selected in the text.
    await page.$eval(".editor textarea", (field) => {
      const at = field.value.indexOf("colleague");
      field.focus();
      field.setSelectionRange(at, at + "colleague".length);
    });
    await page.keyboard.press("Control+Enter");
    await page.click('.menu button:has-text("Replace it")');
    await page.waitForTimeout(500);
    assert(!(await page.textContent("#veiled")).includes("colleague"));
  });

  await test("the strength and the task change the veiled text", async () => {
    await page.focus("#level");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /\[person/.test(document.querySelector("#veiled").textContent));
    await page.keyboard.press("ArrowRight");
    await page.fill("#task", "How do I write a letter?");
    await page.waitForFunction(() => /changed by noise|noise, unchanged/.test(document.querySelector("#receipt").textContent));
    await page.focus("#level");
    await page.keyboard.press("Home");
    await page.fill("#task", "");
    await page.waitForFunction(() => !/\[person/.test(document.querySelector("#veiled").textContent));
  });

  await test("the veiled text is copied and recorded, and an answer is restored", async () => {
    await page.click("#clear");
    await type(page, LETTER);
    const veiled = await page.textContent("#veiled");
    await page.click("#copy");
    await page.waitForSelector(".toast");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, veiled);
    const { totals } = await api("ledger", {});
    assert(totals.some((total) => total.name === "page" && total.releases === 1), JSON.stringify(totals));
    const name = veiled.match(/my name is ([\p{L}' -]+?) and I live/u)[1];
    await page.fill("#answer", `Dear ${name}, thank you for your letter.`);
    await page.waitForFunction(() => document.querySelector("#restored").textContent.includes("Dear Ana Lima,"));
    assert.equal(await page.textContent("#restored mark"), "Ana Lima");
    await page.click("#copy-restored");
    await page.waitForTimeout(200);
    assert((await page.evaluate(() => navigator.clipboard.readText())).startsWith("Dear Ana Lima"));
  });

  await test("files are dropped: txt, md, csv, jsonl, and others are refused with a reason", async () => {
    for (const name of ["letter.txt", "letter.md"]) {
      await drop(page, name, `# ${name}\n\nAna Lima lives in Utrecht.`);
      await page.waitForFunction((name) => document.querySelector(".editor textarea").value.includes(name), name);
      await page.waitForFunction(() => !document.querySelector("#veiled").textContent.includes("Ana Lima") && document.querySelector("#veiled mark"));
    }
    await drop(page, "people.csv", 'name,city,note\r\nAna Lima,Utrecht,"said ""hello"", twice"\r\nTom Baker,Leeds,ok\r\n', "text/csv");
    await page.waitForSelector("#file-text");
    const csv = await page.textContent("#file-text");
    assert(csv.startsWith("name,city,note\r\n") || csv.startsWith("name,city,note\n"), csv);
    assert(!csv.includes("Ana Lima") && !csv.includes("Leeds") && csv.includes('"said ""hello"", twice"'), csv);
    await drop(page, "people.jsonl", '{"id": 12345678901234567890, "name": "Ana Lima", "tags": ["Utrecht", "x"]}\n{"name": "Tom Baker"}\n');
    await page.waitForFunction(() => document.querySelector("#file-text")?.textContent.startsWith("{"));
    const jsonl = await page.textContent("#file-text");
    assert(jsonl.includes('"id": 12345678901234567890,') && !jsonl.includes("Ana Lima") && !jsonl.includes("Utrecht"), jsonl);
    assert.equal(jsonl.trim().split("\n").length, 2);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-file")]);
    assert.equal(saved.suggestedFilename(), "people.veiled.jsonl");
    await drop(page, "scan.tiff", "II*", "image/tiff");
    await page.waitForSelector(".toast.bad");
  });

  await test("documents are dropped and saved in their own format: docx, eml, pdf", async () => {
    const mail = "From: Ana Lima <ana.lima@example.org>\r\nTo: tom.baker@example.org\r\nSubject: The garden\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nDear Tom Baker,\r\n\r\nI moved to Utrecht.\r\n\r\nAna Lima\r\n";
    const line = "My name is Ana Lima and I live in Utrecht with my cat.";
    for (const [name, bytes] of [["letter.docx", docx()], ["mail.eml", Buffer.from(mail)], ["letter.pdf", pdf(line)]]) {
      await page.setInputFiles("#picker", { name, mimeType: "application/octet-stream", buffer: bytes });
      await page.waitForSelector(`h2:has-text("${name}")`);
      await page.waitForFunction(() => document.querySelector("#veiled mark"));
      assert((await page.inputValue(".editor textarea")).includes("Utrecht"), name);
      await page.waitForTimeout(300);
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-file")]);
      assert.equal(saved.suggestedFilename(), name.replace(".", ".veiled."));
      const written = fs.readFileSync(await saved.path());
      // A part of an archive may be compressed.
      const { inflateRawSync } = await import("node:zlib");
      let text = written.toString("latin1");
      for (let at = written.indexOf("PK\x03\x04"); at >= 0; at = written.indexOf("PK\x03\x04", at + 4)) {
        const [method, size] = [written.readUInt16LE(at + 8), written.readUInt32LE(at + 18)];
        const begin = at + 30 + written.readUInt16LE(at + 26) + written.readUInt16LE(at + 28);
        if (method === 8) text += inflateRawSync(written.subarray(begin, begin + size)).toString();
      }
      for (const value of ["Ana Lima", "Utrecht", "Tom Baker", "Eva Horak", "ana.lima@"]) assert(!text.includes(value), `${name}: ${value} in ${text.slice(Math.max(0, text.indexOf(value) - 80), text.indexOf(value) + 80)}`);
      if (name === "letter.docx") {
        assert(text.includes("<w:b/>") && text.includes("with my cat"), "the formatting is gone");
        assert(/comment/.test(await page.textContent("#removed")), await page.textContent("#removed"));
      }
    }
  });

  await test("the style is measured, with habits and a map, and a model rewrites it", async () => {
    await page.click("#to-write");
    await page.click("#clear");
    await page.fill(".editor textarea", ESSAY);
    await page.click("#to-style");
    await page.waitForSelector("#risk svg");
    assert((await page.$$("#map circle")).length > 20);
    assert((await page.$$(".habits li")).length > 0);
    assert((await page.$$(".behind mark.habit")).length > 0);
    await page.click("#rewrite");
    await page.waitForSelector(".candidate", { timeout: 180_000 });
    assert.equal((await page.$$(".candidate")).length, 3);
    const choose = await page.$('.candidate button:has-text("Use this text")');
    if (choose) {
      await choose.click();
      assert.notEqual(await page.inputValue(".editor textarea"), ESSAY);
    } else {
      console.log("     note: the checks refused every candidate of the mock model");
    }
  });

  await test("a concept is found in vectors, measured, and its mask downloaded", async () => {
    await page.click("#to-vectors");
    await page.click("#vector-examples");
    await page.click("#fit");
    await page.waitForSelector("#curve .point", { timeout: 180_000 });
    const points = await page.$$("#curve .point");
    assert(points.length >= 4);
    await page.click('.points label:has-text("ε = 200")');
    assert((await page.textContent("#directions")).includes("-e 200"));
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#mask")]);
    assert.equal(saved.suggestedFilename(), "location.mask");
    assert(fs.statSync(await saved.path()).size > 1000);
  });

  await test("a request of a program is seen live, without its text, and its receipt verifies", async () => {
    await page.click("#to-gateway");
    await page.waitForSelector("#tiles");
    const send = (content) =>
      fetch(`${gateway.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
      });
    seen.length = 0;
    assert.equal((await send("I am Ana Lima, ana.lima@example.org.")).status, 200);
    assert(seen.length === 1 && !seen[0].includes("Ana Lima"));
    await page.waitForSelector('#requests td:has-text("person 1")');
    const refused = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [], unknown: "Ana Lima" }),
    });
    assert.equal(refused.status, 400);
    await page.waitForSelector("#requests tr.refused");
    const text = await page.textContent("main");
    assert(!text.includes("Ana") && !text.includes("example.org"), "the view shows text of a request");
    await page.click("#requests td button");
    await page.waitForSelector("#opened .good");
    await page.fill("#receipt-field", "{}");
    await page.click("#check-receipt");
    await page.waitForSelector(".toast.bad");
    assert((await page.textContent("#ledger")).includes("spent"));
  });

  await test("attackers run on what was veiled", async () => {
    await page.click("#to-write");
    await page.click("#clear");
    const more = ["Utrecht", "Leeds", "Lyon", "Turin", "Ghent"].map((city, at) => `${["Ana Lima", "Tom Baker", "Eva Horak", "Luc Morel", "Ida Berg"][at]} met us in ${city} and talked about the garden, the school and the old bridge for an hour.`);
    await type(page, `${LETTER}\n\n${more.join("\n")}`);
    await page.click("#to-attack");
    await page.click("#attack");
    await page.waitForSelector("#attacks table", { timeout: 180_000 });
    assert((await page.$$("#attacks .badge.good")).length > 3);
    assert(/infer/.test(await page.textContent("#attacks")));
  });

  await test("no accessibility violation in any view, light and dark, wide and narrow", async () => {
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [1280, 390]) {
        const other = await enter({ colorScheme, viewport: { width, height: 860 } });
        await other.click("#example");
        await other.waitForSelector("#veiled mark");
        await noViolations(other, `write ${colorScheme} ${width}`);
        await other.click(".find");
        await noViolations(other, `menu ${colorScheme} ${width}`);
        await other.keyboard.press("Escape");
        for (const view of ["style", "vectors", "gateway", "attack"]) {
          await other.click(`#to-${view}`);
          if (view === "style") await other.waitForSelector("#risk p");
          if (view === "attack" && what !== "quick") {
            await other.click("#attack");
            await other.waitForSelector("#attacks table", { timeout: 180_000 });
          }
          await noViolations(other, `${view} ${colorScheme} ${width}`);
        }
        const overflow = await other.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(overflow <= 0, `the page is ${overflow} pixels too wide at ${width}`);
        assert.deepEqual(other.problems, []);
        await other.context().close();
      }
    }
  });

  await test("the keyboard alone reaches everything in Write", async () => {
    const other = await enter();
    const names = [];
    for (let step = 0; step < 26; step++) {
      await other.keyboard.press("Tab");
      names.push(await other.evaluate(() => document.activeElement.id || document.activeElement.className));
    }
    for (const id of ["to-style", "theme", "level", "task", "example", "clear", "answer"]) assert(names.includes(id), `${id}: ${names}`);
    await other.context().close();
  });

  await test("strangers are kept out: no key, used key, other origin, other host, other site", async () => {
    const post = (headers) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(gateway.origin);
        const request = http.request({ hostname, port, path: "/page/api/state", method: "POST", headers: { "content-type": "application/json", ...headers } }, (response) => {
          response.resume();
          resolve([response.statusCode, response.headers]);
        });
        request.on("error", reject);
        request.end("{}");
      });
    const good = { "x-inkveil-page": gateway.token };
    assert.equal((await post(good))[0], 200);
    assert.equal((await post({}))[0], 401);
    assert.equal((await post({ ...good, host: "evil.example" }))[0], 403);
    assert.equal((await post({ ...good, origin: "http://evil.example" }))[0], 403);
    assert.equal((await post({ ...good, "sec-fetch-site": "cross-site" }))[0], 403);
    const [, headers] = await post(good);
    assert(!("access-control-allow-origin" in headers));
    assert.equal(headers["x-content-type-options"], "nosniff");
    const used = await (await fetch(`${gateway.origin}/page/api/enter`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ key: new URL(gateway.link).hash.slice(5) }) })).json();
    assert.equal(used.error.code, "page_key");
    const index = await fetch(gateway.origin);
    const policy = index.headers.get("content-security-policy");
    assert(policy.includes("default-src 'none'") && !policy.includes("unsafe"), policy);
  });

  await test("nothing in the page broke, and no request left this machine", async () => {
    assert.deepEqual(page.problems, []);
    assert.deepEqual(foreign, []);
  });
}

/** Words of a text that is long enough. */
function long(words) {
  const sentences = [
    "Ana Lima wrote to Tom Baker about the garden behind the school.",
    "The meeting in Leeds was moved to Friday, because nobody had the key.",
    "We talked about the price of bread, the weather and the long road home.",
    "Call me on +44 7700 900123 if the parcel does not come before noon.",
    "Nothing else happened, and so we went to bed early and slept well.",
  ];
  const out = [];
  for (let at = 0, count = 0; count < words; at++) {
    out.push(sentences[at % sentences.length]);
    count += sentences[at % sentences.length].split(" ").length;
  }
  return out.map((sentence, at) => (at % 6 === 5 ? `${sentence}\n\n` : `${sentence} `)).join("");
}

async function speed() {
  const page = await enter();
  const figures = {};
  const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))];
  for (const words of [500, 5000]) {
    await page.click("#clear");
    await type(page, long(words));
    await page.waitForTimeout(3000);
    // From the event of the key to the frame after the marks were drawn.
    const times = await page.evaluate(async (rounds) => {
      const field = document.querySelector(".editor textarea");
      const marks = [];
      const veils = [];
      for (let round = 0; round < rounds; round++) {
        const place = Math.floor(field.value.length * ((round % 7) + 1) * 0.1);
        const begun = performance.now();
        let marked = 0;
        const done = new Promise((resolve) => {
          const listener = (event) => {
            const now = performance.now();
            if (!marked) marked = now;
            if (event.detail.what === "veil") {
              document.removeEventListener("inkveil-shown", listener);
              requestAnimationFrame(() => resolve(now));
            }
          };
          document.addEventListener("inkveil-shown", listener);
        });
        field.setRangeText("e", place, place, "end");
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        const veiled = await done;
        marks.push(marked - begun);
        veils.push(veiled - begun);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      return { marks, veils };
    }, words > 1000 ? 20 : 40);
    figures[`${words} words`] = {
      marks_p50_ms: Math.round(at(times.marks, 0.5)),
      marks_p95_ms: Math.round(at(times.marks, 0.95)),
      veiled_p50_ms: Math.round(at(times.veils, 0.5)),
      veiled_p95_ms: Math.round(at(times.veils, 0.95)),
    };
  }
  const paints = [];
  for (let round = 0; round < 5; round++) {
    const other = await enter();
    paints.push(await other.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    await other.context().close();
  }
  figures.first_paint_ms = Math.round(at(paints, 0.5));
  const files = fs.readdirSync("crates/serve/page").filter((name) => /\.(js|css|html|svg)$/.test(name));
  figures.bundle_bytes = files.reduce((sum, name) => sum + fs.statSync(path.join("crates/serve/page", name)).size, 0);
  console.log(JSON.stringify(figures, null, 2));
}

async function pictures() {
  const to = "docs/guide/page";
  // The attackers take minutes on a busy machine, so single views can be chosen: INKVEIL_VIEWS=write,style,gateway.
  const wants = (view) => (process.env.INKVEIL_VIEWS ?? view).split(",").includes(view);
  fs.mkdirSync(to, { recursive: true });
  for (const [size, viewport] of [["wide", { width: 1180, height: 820 }], ["phone", { width: 390, height: 800 }]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await enter({ viewport, colorScheme });
      const shoot = async (name) => {
        await page.evaluate(() => {
          /** @type {any} */ (document.activeElement)?.blur();
          document.querySelector(".toast")?.remove();
          scrollTo(0, 0);
        });
        const high = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), size === "wide" ? 1320 : 1500);
        await page.setViewportSize({ width: viewport.width, height: high });
        await page.waitForTimeout(150);
        await page.screenshot({ path: path.join(to, `${name}-${size}-${colorScheme}.png`) });
        await page.setViewportSize(viewport);
      };
      await page.click("#example");
      await page.waitForSelector("#veiled mark");
      await page.waitForTimeout(800);
      await shoot("write");
      if (wants("attack")) {
        await page.click("#to-attack");
        await page.click("#attack");
        await page.waitForSelector("#attacks table", { timeout: 300_000 });
        await shoot("attack");
        await page.click("#to-write");
      }
      await page.click("#clear");
      await page.fill(".editor textarea", ESSAY);
      await page.click("#to-style");
      await page.waitForSelector("#risk svg");
      await shoot("style");
      if (wants("vectors")) {
        await page.click("#to-vectors");
        await page.click("#vector-examples");
        await page.click("#fit");
        await page.waitForSelector("#curve .point", { timeout: 300_000 });
        await shoot("vectors");
      }
      for (const content of ["I am Ana Lima.", "Write to ana.lima@example.org.", "Tom Baker met Eva Horak in Leeds on 3 March.", "Hello."]) {
        await fetch(`${gateway.origin}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
        });
      }
      await page.click("#to-gateway");
      await page.waitForSelector("#requests table");
      await page.waitForTimeout(400);
      await shoot("gateway");
      await page.context().close();
    }
  }
  const bytes = fs.readdirSync(to).reduce((sum, name) => sum + fs.statSync(path.join(to, name)).size, 0);
  console.log(`${to}: ${fs.readdirSync(to).length} pictures, ${Math.round(bytes / 1024)} kB`);
}

try {
  await { tests, quick: tests, speed, pictures }[what]();
} finally {
  await browser.close();
  gateway.child.kill();
  upstream.close();
  upstream.closeAllConnections();
  fs.rmSync(folder, { recursive: true, force: true });
}
if (failures.length) {
  console.log(`${failures.length} failed`);
  process.exit(1);
}
