// What people do with the console when scripts are off: every link and form works by full pages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { ADMIN, SOIT_API_URL, SOIT_URL, fillWorkspace, proven, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let rest;
let runs;

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
  runs = await fillWorkspace(rest);
});
after(() => browser?.close());

/** A story without scripts, signed in; `go` opens an address of the workspace. */
function story(name, tell) {
  test(`without scripts: ${name}`, async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    try {
      const page = await signIn(context);
      const go = (path) => page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`);
      await tell(page, go);
    } finally {
      await context.close();
    }
  });
}

const submit = (page) => page.getByTestId("submit");
const textOf = (page) => page.locator("main").innerText();

story("sign out, be led to the sign-in page, and back to where one wanted to go", async (page, go) => {
  await page.getByTestId("profile").locator("summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/sign-in/);
  await page.goto(`${SOIT_URL}/w/default/runs?f.status=failed`);
  assert.match(page.url(), /sign-in\?next=/);
  await page.locator("#email").fill(ADMIN.email);
  await page.locator("#password").fill(ADMIN.password);
  await submit(page).click();
  await page.waitForURL(/\/runs\?f\.status=failed/);
});

story("filter runs by a facet, remove the filter, search", async (page, go) => {
  await go("/runs");
  await page.getByTestId("filters").locator("summary", { hasText: "Status" }).click();
  await page.getByTestId("filters").getByRole("link", { name: /^Failed/ }).click();
  await page.waitForURL(/f\.status=failed/);
  assert.equal(await page.locator('table .status[data-state="succeeded"]').count(), 0);
  await page.getByTestId("filters").locator("summary", { hasText: "Status" }).click();
  await page.getByTestId("filters").getByRole("link", { name: "not Failed" }).click();
  await page.waitForURL(/f\.status=!failed/);
  assert.equal(await page.locator('table .status[data-state="failed"]').count(), 0);
  assert.match(await page.getByTestId("filter").innerText(), /Status:\s+not Failed/);
  await page.getByTestId("filter").getByRole("link").click();
  await page.waitForURL((url) => !url.search.includes("f.status"));
  await page.getByRole("main").getByRole("searchbox").fill("tokens-40");
  await page.getByRole("main").getByRole("searchbox").press("Enter");
  await page.waitForURL(/q=tokens-40/);
  assert.match(await textOf(page), /model:test:tokens-40/);
});

story("page through runs, older and back to the newest", async (page, go) => {
  const call = () =>
    fetch(`${SOIT_API_URL}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${runs.key}` },
      body: JSON.stringify({ model: "model:test:echo", messages: [{ role: "user", content: "one of many" }] }),
    }).then((answer) => answer.text());
  for (let index = 0; index < 60; index += 1) await call();
  await go("/runs");
  const first = await page.getByTestId("run").first().locator(".row-link").getAttribute("href");
  await page.locator('.pager a[rel="next"]').click();
  await page.waitForURL(/after=/);
  assert.notEqual(await page.getByTestId("run").first().locator(".row-link").getAttribute("href"), first);
  await page.locator('.pager a[rel="prev"]').click();
  await page.waitForURL((url) => !url.search.includes("after="));
  assert.equal(await page.getByTestId("run").first().locator(".row-link").getAttribute("href"), first);
});

story("peek at a run, open it, pick a step, read the log", async (page, go) => {
  await go(`/runs?f.status=failed&peek=${runs.bad}`);
  await page.getByTestId("drawer").getByRole("link", { name: "Open run" }).click();
  await page.waitForURL(new RegExp(`/runs/${runs.bad}`));
  await page.getByTestId("step").last().click();
  await page.waitForURL(/step=stp_/);
  assert.match(await page.getByTestId("step-pane").innerText(), /Model call/);
  await page.getByRole("link", { name: "Log" }).click();
  await page.waitForURL(/view=log/);
  assert.match(await page.getByTestId("log").innerText(), /run\.finished/);
});

story("create a key, see it once, and not again", async (page, go) => {
  await go("/keys/new");
  await page.locator("#name").fill("No scripts");
  for (let step = 1; step <= 3 && !/reveal/.test(page.url()); step += 1) await submit(page).click();
  assert.match(await page.getByTestId("secret").innerText(), /sk_[0-9A-Za-z]{49}/);
  assert.doesNotMatch(page.url(), /sk_/);
  await page.reload();
  assert.doesNotMatch(await textOf(page), /sk_[0-9A-Za-z]{49}/);
  await go("/keys");
  assert.match(await textOf(page), /No scripts/);
});

story("a form sent twice from one page makes one thing, also by the back button", async (page, go) => {
  await go("/budgets/new");
  await page.locator("#name").fill("Sent twice");
  await page.locator("#amount").fill("3");
  const form = await page.locator("form[action*=create_budget]").evaluate((form) => new URLSearchParams(new FormData(form)).toString());
  const send = () =>
    page.request.post(`${SOIT_URL}/ui/fn/create_budget`, {
      data: form,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html", "sec-fetch-site": "same-origin" },
    });
  await Promise.all([send(), send()]);
  await submit(page).click();
  await page.waitForURL(/tab=budgets/);
  assert.equal(await page.getByTestId("budget").filter({ hasText: "Sent twice" }).count(), 1);
});

story("a change sent twice succeeds twice, also from a browser that tells no page", async (page, go) => {
  const budget = { name: "Changed twice", scope_kind: "workspace", period: "day", currency: "USD", amount: "1", hard_stop: true };
  const { id } = await rest("POST", "/api/v1/billing/budgets", budget);
  await page.route("**/ui/fn/**", (route) => {
    const { referer, ...headers } = route.request().headers();
    return route.continue({ headers });
  });
  await go(`/budgets/${id}`);
  await page.locator("#amount").fill("nothing");
  await page.locator(".form [data-testid=submit]").click();
  await page.getByTestId("form-summary").waitFor();
  assert.match(page.url(), new RegExp(`/budgets/${id}`));
  assert.equal(await page.locator("#amount").inputValue(), "nothing");
  await page.locator("#amount").fill("4");
  const form = page.locator("form[action*=update_budget]");
  const action = await form.getAttribute("action");
  const data = await form.evaluate((form) => new URLSearchParams(new FormData(form)).toString());
  const send = () =>
    page.request.post(SOIT_URL + action, {
      data,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html", "sec-fetch-site": "same-origin" },
      maxRedirects: 0,
    });
  for (const answer of [...(await Promise.all([send(), send()])), await send()]) {
    assert.doesNotMatch(answer.headers().location, /__err/);
  }
  assert.equal((await rest("GET", `/api/v1/billing/budgets/${id}`)).amount, "4");
});

story("a session that ends in a half-filled form leads through the sign-in back to what was typed", async (page, go) => {
  await go("/budgets/new");
  await page.locator("#name").fill("Outlives the session");
  await page.locator("#amount").fill("6");
  await page.context().clearCookies({ name: /session/ });
  await submit(page).click();
  await page.waitForURL(/sign-in\?next=/);
  await page.locator("#email").fill(ADMIN.email);
  await page.locator("#password").fill(ADMIN.password);
  await submit(page).click();
  await page.waitForURL(/budgets\/new/);
  assert.equal(await page.locator("#name").inputValue(), "Outlives the session");
  assert.match(await textOf(page), /nothing was sent/);
  await submit(page).click();
  await page.waitForURL(/tab=budgets/);
  assert.equal(await page.getByTestId("budget").filter({ hasText: "Outlives the session" }).count(), 1);
});

story("type a range, choose columns", async (page, go) => {
  await go("/runs");
  await page.getByTestId("range-other").locator("summary").click();
  await page.getByTestId("range-other").locator("input[name=range]").fill("last 3 h");
  await page.getByTestId("range-other").getByRole("button").first().click();
  await page.waitForURL(/range=last\+3\+h/);
  assert.match(await textOf(page), /in the last 3 h/);
  await page.getByTestId("columns").locator("summary").click();
  await page.getByTestId("columns").getByRole("link", { name: /^Tokens/ }).click();
  await page.waitForURL(/cols=/);
  assert.equal(await page.getByRole("columnheader", { name: "Tokens" }).count(), 0);
  assert.match(page.url(), /range=3h/);
});

story("look at the page of a new secret without taking it, then show it", async (page, go) => {
  await go("/keys/new");
  await page.locator("#name").fill("Looked at");
  await submit(page).click();
  const made = await page.locator("form[action*=create_key]").evaluate((form) => new URLSearchParams(new FormData(form)).toString());
  const answer = await page.request.post(`${SOIT_URL}/ui/fn/create_key`, {
    data: made,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html", "sec-fetch-site": "same-origin" },
    maxRedirects: 0,
  });
  const reveal = SOIT_URL + answer.headers().location;
  await page.request.head(reveal);
  await page.goto(reveal);
  assert.doesNotMatch(await textOf(page), /sk_/);
  await page.getByTestId("show").click();
  assert.match(await page.getByTestId("secret").innerText(), /sk_[0-9A-Za-z]{49}/);
});

story("revoke a key by typing its name", async (page, go) => {
  const { item } = await rest("POST", "/api/v1/api-keys", { name: "Goes away", scopes: ["read"] });
  await go(`/keys?peek=${item.id}`);
  await page.getByTestId("drawer").getByRole("link", { name: "Revoke" }).click();
  await page.getByTestId("confirm").locator("#confirm-name").fill("Goes away");
  await page.getByTestId("confirm").getByTestId("submit").click();
  await page.waitForURL(/\/keys$/);
  assert.match(await page.getByTestId("key").filter({ hasText: "Goes away" }).innerText(), /Revoked/);
});

story("a budget with a wrong amount comes back as it was typed, a right one is made", async (page, go) => {
  await go("/budgets/new");
  await page.locator("#name").fill("Plain budget");
  await page.locator("#amount").fill("a lot");
  await submit(page).click();
  await page.getByTestId("form-summary").waitFor();
  assert.equal(await page.locator("#name").inputValue(), "Plain budget");
  assert.equal(await page.locator("#amount").inputValue(), "a lot");
  await page.locator("#amount").fill("7.5");
  await submit(page).click();
  await page.waitForURL(/tab=budgets/);
  assert.match(await page.getByTestId("budget").filter({ hasText: "Plain budget" }).innerText(), /\$7\.50/);
});

story("add a provider, let its calls leave, add a model", async (page, go) => {
  await go("/models/new");
  await page.locator("#name").fill("Plain provider");
  await page.locator("#slug").fill(`plain-${process.pid}`);
  await page.locator("#base_url").fill("http://127.0.0.1:11434/v1");
  await submit(page).click();
  await page.waitForURL(/\/models\/prv_/);
  await proven(page, () => page.getByRole("button", { name: "Allow it" }).click());
  await page.getByRole("button", { name: "Allow it" }).waitFor({ state: "detached" });
  await page.locator("#model_id").fill("llama-plain");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByTestId("model").filter({ hasText: "llama-plain" }).waitFor();
});

story("add a price, and an egress rule that is removed again", async (page, go) => {
  await go("/models?tab=prices");
  await page.locator(".disclosure > summary").click();
  await page.locator("#match_ref").fill("model:plain:*");
  await page.locator("#input").fill("2.5");
  await page.locator("#output").fill("10");
  await page.getByRole("button", { name: "Add price" }).click();
  assert.match(await page.getByTestId("price").filter({ hasText: "model:plain:*" }).innerText(), /\$2\.50/);
  await go("/models?tab=egress");
  await proven(page, async () => {
    await page.locator("#host").fill("plain.example.com");
    await page.getByRole("button", { name: "Add rule" }).click();
  });
  const rule = page.getByTestId("egress-rule").filter({ hasText: "plain.example.com" });
  await rule.getByRole("button").click();
  await rule.waitFor({ state: "detached" });
});

story("type a rule, prove who one is, and send what was typed", async (page, go) => {
  await go("/models?tab=egress");
  await page.locator("#host").fill("typed.example.com");
  await page.getByRole("button", { name: "Add rule" }).click();
  const proof = page.getByTestId("step-up");
  for (const [password, left] of [["wrong", 1], [ADMIN.password, 0]]) {
    await proof.locator("input[type=password]").fill(password);
    await proof.getByTestId("submit").click();
    await page.waitForLoadState();
    assert.equal(await proof.count(), left, await textOf(page));
    assert.equal(await page.locator("#host").inputValue(), "typed.example.com");
    assert.match(await textOf(page), left ? /not your password/ : /Confirmed/);
  }
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByTestId("egress-rule").filter({ hasText: "typed.example.com" });
  await rule.getByRole("button").click();
  await rule.waitFor({ state: "detached" });
});

story("choose a time by the calendar", async (page, go) => {
  await go("/runs?f.status=failed");
  await page.getByTestId("range-other").locator("summary").click();
  const calendar = page.getByTestId("calendar");
  assert.match(await calendar.locator("[name=from]").inputValue(), /^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  await calendar.locator("[name=from]").fill("2026-01-02T03:04");
  await calendar.locator("[name=to]").fill("2026-01-02T05:00");
  await calendar.getByRole("button").click();
  await page.waitForURL(/f\.status=failed&from=2026-01-02T03%3A04&to=2026-01-02T05%3A00/);
  await page.getByTestId("range-other").locator("summary").click();
  assert.equal(await calendar.locator("[name=from]").inputValue(), "2026-01-02T03:04");
  assert.equal(await page.getByTestId("run").count(), 0);
});

story("export the runs that are shown, as a spreadsheet", async (page, go) => {
  await go("/runs?f.status=failed");
  await page.getByTestId("export").locator("summary").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByTestId("export").getByRole("link", { name: /CSV/ }).click()]);
  assert.match(file.suggestedFilename(), /^soit-default-runs-\d{8}T\d{6}Z-\d{8}T\d{6}Z\.csv$/);
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
  assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.split(",")[1] === "failed"), lines.join("\n"));
});

story("make the rail narrow, on the page one is on, and wide again", async (page, go) => {
  await go("/runs?range=7d");
  await page.getByRole("button", { name: "Narrow menu" }).click();
  await page.waitForURL(/\/runs\?range=7d/);
  assert.equal((await page.locator("#rail").boundingBox()).width, 56);
  await page.getByRole("link", { name: "Keys & budgets" }).click();
  await page.waitForURL(/\/keys$/);
  await page.getByRole("button", { name: "Wide menu" }).click();
  await page.getByRole("button", { name: "Narrow menu" }).waitFor();
  assert.equal((await page.locator("#rail").boundingBox()).width, 208);
});

story("change one's name", async (page, go) => {
  await go("/settings/profile");
  await page.locator("#name").fill("Plain Admin");
  await submit(page).first().click();
  await page.waitForLoadState();
  await page.getByTestId("profile").locator("summary").click();
  assert.match(await page.locator("details[data-testid=profile]").innerText(), /Plain Admin/);
});

story("change theme and language, from any page and from the settings", async (page, go) => {
  await go("/runs?range=7d");
  await page.getByTestId("theme").locator("summary").click();
  await page.getByTestId("theme").getByRole("button", { name: "Dark" }).click();
  await page.waitForURL(/\/runs\?range=7d/);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await go("/settings/appearance");
  await page.locator('select[name="lang"]').selectOption("zh-CN");
  await submit(page).click();
  await page.waitForLoadState();
  assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
});
