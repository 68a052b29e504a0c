// The server under test is up, on both listeners, and its console reaches a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { launchBrowser } from "../browser.mjs";

const { SOIT_URL, SOIT_API_URL } = process.env;

for (const base of [SOIT_URL, SOIT_API_URL]) {
  test(`${new URL(base).hostname} answers that it is alive`, async () => {
    const answer = await fetch(new URL("/health", base));
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { status: "ok" });
  });
}

test("an unknown visitor is led to the sign-in page", async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const answer = await page.goto(SOIT_URL);
    assert.equal(answer.status(), 200);
    await page.locator("input[type=password]").waitFor();
  } finally {
    await browser.close();
  }
});
