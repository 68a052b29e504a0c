// Who one is: a password that was forgotten, service principals and their keys, and the console as a weaker role sees it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { startMail, startSoit } from "../server.mjs";
import { ADMIN, SOIT_API_URL, SOIT_URL, open, proven, signIn, workspaceOf } from "../session.mjs";

const NEW_PASSWORD = "plum violin harbour 71";

let browser;

before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

test("without scripts: a forgotten password is set anew with the link of a mail, which works once", async () => {
  const box = await startMail();
  let soit;
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    soit = await startSoit({
      SYSTEM_MAIL_ENABLED: "true",
      SYSTEM_MAIL_URL: `smtp://127.0.0.1:${box.port}?tls=none`,
      SYSTEM_MAIL_FROM: "soit@example.com",
    });
    const page = await context.newPage();
    const submit = () => page.getByTestId("submit").click();
    await page.goto(`${soit.url}/sign-in`);
    await page.locator('a[href^="/forgot-password"]').click();
    await page.locator("#email").fill(ADMIN.email);
    await submit();
    await page.waitForURL(/sent/);
    const mail = await box.mail();
    const link = mail.text.match(/http\S+\/reset-password#\S+/)[0];
    assert.ok(link.startsWith(soit.url), link);
    const [address, token] = link.split("#");
    const reset = async (password) => {
      await page.goto(address);
      await page.locator("#token").fill(token);
      await page.locator("#password").fill(password);
      await page.locator("#repeated").fill(password);
      await submit();
      await page.waitForLoadState();
    };
    const enter = async (password) => {
      await page.goto(`${soit.url}/sign-in`);
      await page.locator("#email").fill(ADMIN.email);
      await page.locator("#password").fill(password);
      await submit();
      await page.waitForLoadState();
    };
    await reset(NEW_PASSWORD);
    assert.ok(!page.url().includes(token));
    await enter(ADMIN.password);
    assert.match(page.url(), /\/sign-in\?.*error=invalid_credentials/);
    await enter(NEW_PASSWORD);
    assert.match(page.url(), /\/w\//);
    await reset("another violin harbour 72");
    assert.equal(await page.getByTestId("form-summary").getAttribute("data-code"), "link_expired");
  } finally {
    await context.close();
    await soit?.stop();
    await box.stop();
  }
});

test("without scripts: a service principal is made, gets a key, acts under its name, and is switched off", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context);
  const go = (path) => page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`);
  const name = `Robot ${process.pid}`;
  await go("/access/principals");
  await page.locator('a[href$="/access/principals/new"]').first().click();
  await page.locator("#name").fill(name);
  await proven(page, () => page.locator("main").getByTestId("submit").last().click());
  await page.waitForURL(/\/access\/principals/);
  await page.getByTestId("principal").filter({ hasText: name }).locator(".row-link").click();
  await page.getByTestId("drawer").locator('a[href*="principal_id="]').click();
  await page.locator("#name").fill("Robot's key");
  for (let step = 1; step <= 4 && !/reveal/.test(page.url()); step += 1) {
    await proven(page, () => page.locator("main").getByTestId("submit").last().click());
  }
  const secret = (await page.getByTestId("secret").innerText()).trim();
  assert.match(secret, /^sk_[0-9A-Za-z]{49}$/);
  const call = () =>
    fetch(`${SOIT_API_URL}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model: "model:test:echo", messages: [{ role: "user", content: "beep" }] }),
    });
  const answer = await call();
  assert.equal(answer.status, 200);
  await go(`/runs/${answer.headers.get("x-soit-run-id")}`);
  assert.match(await page.getByTestId("facts").innerText(), new RegExp(`Robot's key · ${name} \\(.+\\)`));

  await go("/access/principals");
  await page.getByTestId("principal").filter({ hasText: name }).locator(".row-link").click();
  await proven(page, () => page.getByTestId("drawer").getByRole("button", { name: "Switch off" }).click());
  await page.locator('[data-testid="principal"][data-state="disabled"]', { hasText: name }).waitFor();
  const refused = await call();
  assert.equal(refused.status, 403);
  assert.equal((await refused.json()).error.code, "subject_disabled");
  await context.close();
});

for (const scripts of [true, false]) {
  test(`an owner sees the console as a viewer does, and stops, ${scripts ? "with" : "without"} scripts`, async () => {
    const context = await browser.newContext({ javaScriptEnabled: scripts });
    const page = await signIn(context);
    const go = (path) => (scripts ? open(page, path) : page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`));
    const newKey = page.locator('main a[href*="/keys/new"]');
    await go("/keys");
    await newKey.first().waitFor();
    await go("/access");
    const menu = page.getByTestId("view-as");
    await menu.locator("summary").click();
    await menu.getByRole("button", { name: "Viewer" }).click();
    const banner = page.getByTestId("viewing");
    await banner.waitFor();
    assert.match(await banner.innerText(), /Viewer/);
    assert.equal(await menu.count(), 0, "nothing is below a viewer");
    for (const path of ["", "/runs", "/settings/profile"]) {
      await go(path);
      await banner.waitFor();
    }
    await go("/keys");
    await page.locator("main h1").waitFor();
    assert.equal(await newKey.count(), 0);
    const asked = await page.request.post(`${SOIT_URL}/ui/fn/create_key`, {
      form: { workspace: workspaceOf(page), "form[name]": "by hand", "form[scope]": "read" },
      headers: { "sec-fetch-site": "same-origin" },
    });
    assert.equal(asked.status(), 403);
    assert.match(await asked.text(), /"role_required"/);
    await banner.getByRole("button", { name: "Stop" }).click();
    await newKey.first().waitFor();
    assert.equal(await banner.count(), 0);
    assert.match(page.url(), /\/keys$/);
    await context.close();
  });
}
