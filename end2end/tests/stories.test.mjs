// What people do with the console: with scripts, without scripts, and while calls happen.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_API_URL, SOIT_URL, fillWorkspace, signIn, signInApi } from "../session.mjs";

let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

const workspaceOf = (page) => new URL(page.url()).pathname.split("/")[2];

async function chat(key, body) {
  return fetch(`${SOIT_API_URL}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ messages: [{ role: "user", content: "live" }], ...body }),
  });
}

test("a wrong password says so and keeps the address", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.getByRole("textbox", { name: /e-?mail/i }).fill("admin@example.com");
  await page.locator("input[type=password]").fill("not the password");
  await page.locator("form button[type=submit]").first().click();
  await page.getByRole("alert").waitFor();
  await context.close();
});

test("a run appears in the list while it happens, and ends there", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}/runs`);
  await page.locator("html[data-hydrated]").waitFor();
  const answer = await chat(runs.key, { model: "model:test:pace-150", stream: true });
  const run = answer.headers.get("x-soit-run-id");
  const bar = page.getByTestId("new-rows");
  const row = page.locator(`a[href*="${run}"]`).first();
  await Promise.race([bar.waitFor(), row.waitFor()]);
  if (await bar.isVisible()) await bar.click();
  await row.waitFor();
  await answer.text();
  await page.locator("tr", { has: page.locator(`a[href*="${run}"]`) }).locator('.status[data-state="succeeded"]').waitFor();
  await context.close();
});

test("without scripts: sign in, filter runs, open one, create a key and see it once", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context);
  const base = `${SOIT_URL}/w/${workspaceOf(page)}`;
  await page.goto(`${base}/runs?f.status=failed`);
  assert.equal(await page.locator('table .status[data-state="succeeded"]').count(), 0);
  await page.goto(`${base}/runs/${runs.good}`);
  assert.match(await page.locator("main").innerText(), /model:test:echo/);
  await page.goto(`${base}/keys/new`);
  await page.locator("#name").fill("No scripts");
  for (let step = 1; step <= 3 && !/reveal/.test(page.url()); step += 1) {
    await page.getByTestId("submit").click();
  }
  assert.match(await page.getByTestId("secret").innerText(), /sk_[0-9A-Za-z]{49}/);
  assert.doesNotMatch(page.url(), /sk_/);
  await page.reload();
  assert.doesNotMatch(await page.locator("main").innerText(), /sk_[0-9A-Za-z]{49}/);
  await page.goto(`${base}/keys`);
  assert.match(await page.locator("main").innerText(), /No scripts/);
  await context.close();
});

test("a name with markup is shown as text", async () => {
  const rest = await signInApi();
  await rest("POST", "/api/v1/api-keys", { name: "<img src=x onerror=alert(1)>", scopes: ["read"] });
  const context = await browser.newContext();
  const page = await signIn(context);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}/keys`);
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  assert.ok(asked.every((url) => !url.endsWith("/x")));
  await context.close();
});

test("what is not there is a 404 page", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  for (const path of [`/w/${workspaceOf(page)}/runs/run_01jz8k0000000000000000000a`, "/w/nobody/runs", "/nowhere"]) {
    const answer = await page.goto(SOIT_URL + path);
    assert.equal(answer.status(), 404, path);
    assert.equal(await page.locator("main h1").count(), 1);
  }
  await context.close();
});

test("signing out ends the session", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const inside = page.url();
  const [cookie] = (await context.cookies()).filter(({ name }) => name.endsWith("soit_session"));
  assert.ok(cookie.httpOnly);
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}/settings/profile`);
  await page.locator('form[action="/ui/sign-out"] button').first().evaluate((button) => button.form.submit());
  await page.waitForURL(/sign-in/);
  await context.addCookies([cookie]);
  await page.goto(inside);
  assert.match(page.url(), /\/sign-in\?next=/);
  await context.close();
});
