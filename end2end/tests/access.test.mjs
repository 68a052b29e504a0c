// Who belongs: somebody is invited, joins with the link, and is out at once when removed. And a run that is called off.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_API_URL, SOIT_URL, open, signIn, signInApi } from "../session.mjs";

const PASSWORD = "plum violin harbour 71";

let browser;
let rest;

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
});
after(() => browser?.close());

/** Somebody's own browser, signed in through the form. */
async function enter(context, email) {
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("form button[type=submit]").first().click();
  await page.waitForURL(/\/w\//);
  return page;
}

for (const scripts of [true, false]) {
  test(`an invitation leads to an account, ${scripts ? "with" : "without"} scripts`, async () => {
    const email = `ada-${scripts}-${process.pid}@example.com`;
    const admin = await signIn(await browser.newContext());
    await open(admin, "/access/new");
    await admin.locator("#email").fill(email);
    await admin.getByTestId("submit").click();
    // The link is there at once, or once it is asked for.
    const [show, secret] = [admin.getByTestId("show"), admin.getByTestId("secret")];
    await show.or(secret).first().waitFor();
    if (await show.count()) await show.click();
    const link = (await secret.innerText()).trim();
    assert.match(link, /\/invite#si_/);
    // It is shown once.
    await admin.reload();
    assert.equal(await secret.count(), 0);

    const context = await browser.newContext({ javaScriptEnabled: scripts });
    const page = await context.newPage();
    const [, token] = link.split("#");
    await page.goto(`${SOIT_URL}/invite#${token}`);
    if (!scripts) await page.locator("#token").fill(token);
    await page.locator("#name").fill("Ada");
    await page.locator("#password").fill(PASSWORD);
    await page.getByTestId("submit").click();
    await page.waitForURL(/\/sign-in|\/w\//);
    assert.ok(!page.url().includes(token));
    const inside = await enter(context, email);
    assert.match(inside.url(), /\/w\//);
    // Once.
    const again = await browser.newContext({ javaScriptEnabled: false });
    const other = await again.newPage();
    await other.goto(`${SOIT_URL}/invite`);
    await other.locator("#token").fill(token);
    await other.locator("#name").fill("Eve");
    await other.locator("#password").fill(PASSWORD);
    await other.getByTestId("submit").click();
    await other.getByTestId("form-summary").waitFor();
    assert.equal(await other.getByTestId("form-summary").getAttribute("data-code"), "invitation_used");

    const { workspaces } = await rest("GET", "/api/v1/me");
    const members = `/api/v1/workspaces/${workspaces[0].id}/members`;
    const { items } = await rest("GET", members);
    const ada = items.find((member) => member.email === email);
    assert.equal(ada.role, "viewer");
    await rest("DELETE", `${members}/${ada.user_id}`);
    await inside.goto(`${SOIT_URL}/w/default/runs`);
    assert.match(inside.url(), /\/sign-in/);
    for (const each of [context, again, admin.context()]) await each.close();
  });
}

test("a run is called off from its page", async () => {
  const { api_key: key } = await rest("POST", "/api/v1/api-keys", { name: "Called off", scopes: ["write"] });
  const call = fetch(`${SOIT_API_URL}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "model:test:slow-60000", messages: [{ role: "user", content: "off" }] }),
  });
  let runs = [];
  while (!runs.length) runs = (await rest("GET", "/api/v1/runs?status=running&model_ref=model:test:slow-60000")).items;
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, `/runs/${runs[0].id}`);
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.locator('main .status[data-state="canceled"]').first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel run" }).count(), 0);
  assert.equal((await (await call).json()).error.code, "run_canceled");
  await context.close();
});
