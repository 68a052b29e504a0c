// A reader of Chinese meets no English word: on every page, in every text that is seen or read aloud.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, fillWorkspace, prefer, routes, signIn, signInApi, workspaceOf } from "../session.mjs";

/** What is the same in every language: products, formats, units, currencies, and a language's name in itself. */
const PRODUCTS = ["soit", "Anthropic", "Chrome", "Linux", "node", "OpenAI", "SQLite"];
const FORMATS = ["API", "Cookie", "CSV", "http", "https", "ID", "JSON", "JSONL", "MCP", "SDK"];
const SAME = [...PRODUCTS, ...FORMATS, "ms", "USD", "UTC", "English"];
/** What people typed, here or at the start of soit, and what hints give as an example of it. */
const TYPED = ["default", "Administrator", "Plain Admin", "llama-3-70b", "gpt-nope", "Ada"];
const EXAMPLES = ["gpt-4o-mini", "openai", "o200k_base", "cl100k_base", "Europe/Berlin", "Asia/Shanghai", "temperature", "null"];
let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  const rest = await signInApi();
  runs = await fillWorkspace(rest);
  // Other stories have typed names, too.
  const { workspaces } = await rest("GET", "/api/v1/me");
  const members = `/api/v1/workspaces/${workspaces[0].id}/members`;
  for (const list of ["/api/v1/api-keys", "/api/v1/service-principals", "/api/v1/billing/budgets", "/api/v1/modelhub/providers", "/api/v1/me/views", members]) {
    TYPED.push(...(await rest("GET", list)).items.map((item) => item.name));
  }
});
after(() => browser?.close());

/**
 * Texts of the page with Latin words, each with where it stands. What a page quotes is marked as such: code, what people
 * typed, and the name of another language in itself. Ids, references and addresses are told by their form.
 */
function latin([same, typed]) {
  const quoted = "code, pre, kbd, script, style, .gate-rule, [translate=no], [lang=en]";
  const names = typed.toSorted((a, b) => b.length - a.length).map((name) => new RegExp(name.replace(/[^\w\s]/g, "\\$&"), "g"));
  const forms = [...names, /\b[a-z]+:[^\s。，]+/g, /\b[a-z]{2,4}_[\w…]+/g, /\b[\w.-]+@[\w.-]+/g, /\b[a-z_]+\.[a-z_.]+/g, /\bhttps?:\S+/g, /\bMozilla\/.*/g];
  const found = [];
  const look = (text, element, where) => {
    const words = forms.reduce((rest, form) => rest.replace(form, " "), text).match(/[A-Za-z]{2,}/g) ?? [];
    const foreign = words.filter((word) => !same.includes(word));
    if (foreign.length > 0) found.push(`${where}: ${text.trim()} — ${element.outerHTML.slice(0, 140)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!element.closest(quoted)) look(texts.currentNode.data, element, "text");
  }
  for (const name of ["aria-label", "title", "placeholder", "alt", "aria-description"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (!element.closest(quoted)) look(element.getAttribute(name), element, name);
    }
  }
  look(document.title, document.querySelector("title"), "title");
  return [...new Set(found)];
}

/** A browser that asks for Chinese. */
async function chinese() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await prefer(context, { theme: "light", lang: "zh-CN" });
  return context;
}

test("the sign-in page in Chinese has no English word", async () => {
  const context = await chinese();
  const page = await context.newPage();
  for (const refused of ["", "?error=invalid_credentials", "?error=login_throttled&retry_after=3"]) {
    await page.goto(`${SOIT_URL}/sign-in${refused}`);
    await page.locator("html[data-hydrated]").waitFor();
    assert.deepEqual(await page.evaluate(latin, [SAME, [...TYPED, ...EXAMPLES]]), []);
  }
  await context.close();
});

test("no page in Chinese has an English word", async (t) => {
  const context = await chinese();
  const page = await signIn(context);
  // The kit shows samples.
  for (const route of routes(workspaceOf(page), runs).filter((route) => route !== "/ui/kit")) {
    await t.test(route, async () => {
      await page.goto(SOIT_URL + route);
      await page.locator("html[data-hydrated]").waitFor();
      assert.deepEqual(await page.evaluate(latin, [SAME, [...TYPED, ...EXAMPLES]]), []);
    });
  }
  await context.close();
});
