// What a browser loads for its first view, and the parts it may load later, as they travel. What it came to is written down in
// `sizes.json`: it may shrink by itself, and grow by more than a hair only where that file says so.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, signIn, workspaceOf } from "../session.mjs";

const KIB = 1024;
const MOST_IN_ALL = 1500 * KIB;
const MOST = { wasm: 1000 * KIB, css: 60 * KIB, fonts: 90 * KIB, requests: 12 };
const GROWTH = 1.03;
const recorded = JSON.parse(await readFile(new URL("../sizes.json", import.meta.url), "utf8"));

/** Bytes and requests of a view that finds nothing in the browser's cache. */
async function firstView(browser) {
  const context = await browser.newContext();
  const path = `/w/${workspaceOf(await signIn(context))}`;
  const signedIn = await context.storageState();
  await context.close();
  const fresh = await browser.newContext({ storageState: signedIn });
  const page = await fresh.newPage();
  const requests = [];
  page.on("request", (request) => requests.push(request));
  await page.goto(SOIT_URL + path, { waitUntil: "load" });
  await page.locator("html[data-hydrated]").waitFor();
  const sizes = { wasm: 0, css: 0, fonts: 0, requests: requests.length };
  const kinds = { ".wasm": "wasm", ".css": "css" };
  for (const request of requests) {
    const kind = kinds[new URL(request.url()).pathname.match(/\.\w+$/)?.[0]];
    if (!kind) continue;
    assert.equal((await request.response()).headers()["content-encoding"], "br", request.url());
    sizes[kind] += (await request.sizes()).responseBodySize;
  }
  // Which faces a view needs depends on its words: all that the style sheet names count.
  const css = requests.find((request) => request.url().endsWith(".css"));
  const faces = (await (await css.response()).text()).matchAll(/url\("([^"]+\.woff2)"\)/g);
  for (const [, face] of faces) sizes.fonts += (await (await page.request.get(SOIT_URL + face)).body()).length;
  await fresh.close();
  return sizes;
}

/** The size of every part, by its name. */
async function partSizes() {
  const loader = await (await fetch(`${SOIT_URL}/pkg/parts.js`)).text();
  const files = [...loader.matchAll(/"\.\/(soit_([a-z]+)\.[0-9a-f]{16}\.wasm)"/g)];
  const sizes = {};
  for (const [, file, part] of files) {
    const answer = await fetch(`${SOIT_URL}/pkg/${file}`, { headers: { "accept-encoding": "br" } });
    assert.equal(answer.headers.get("content-encoding"), "br", file);
    sizes[part] = Number(answer.headers.get("content-length"));
    await answer.body.cancel();
  }
  return sizes;
}

function assertWithin(name, present, recorded, growth = GROWTH) {
  assert.ok(present > 0, `${name} was not measured`);
  const told = `${name} grew from ${recorded} to ${present}: is it worth it? Then end2end/sizes.json says so`;
  assert.ok(present <= recorded * growth, told);
}

test("the first view is light, and grows on purpose only", async () => {
  const browser = await launchBrowser();
  try {
    const present = await firstView(browser);
    for (const [name, most] of Object.entries(MOST)) {
      assert.ok(present[name] <= most, `${name}: ${present[name]}, at most ${most}`);
      assertWithin(name, present[name], recorded[name], name === "requests" ? 1 : GROWTH);
    }
  } finally {
    await browser.close();
  }
});

test("every part is written down, grows on purpose only, and all together stay within what a console may be", async () => {
  const present = await partSizes();
  assert.deepEqual(Object.keys(present).sort(), Object.keys(recorded.parts).sort());
  for (const [name, size] of Object.entries(present)) assertWithin(`part ${name}`, size, recorded.parts[name]);
  const total = Object.values(present).reduce((sum, size) => sum + size, recorded.wasm);
  assert.ok(total <= MOST_IN_ALL, `all modules: ${total}, at most ${MOST_IN_ALL}`);
});
