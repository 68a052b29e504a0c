// What people do with the console: with scripts, without scripts, and while calls happen.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { ADMIN, SOIT_API_URL, SOIT_URL, fillWorkspace, open, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

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
  assert.equal(await page.getByRole("textbox", { name: /e-?mail/i }).inputValue(), "admin@example.com");
  assert.doesNotMatch(page.url(), /admin/);
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

test("a bar of the outcome chart leads to its runs, and so does its row of the table", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "");
  // An interval may have begun since the calls.
  const bar = page.locator('.chart-slices a:not([title*=": 0 runs"])').last();
  const href = await bar.getAttribute("href");
  await page.locator(".chart-table summary").click();
  await page.locator(`.chart-table .row-link[href="${href}"]`).waitFor();
  await bar.click();
  await page.waitForURL(/\/runs\?from=/);
  await page.getByTestId("run").first().waitFor();
  await context.close();
});

test("dragging over the outcome chart sets the range, and back undoes it", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "");
  const bars = page.locator(".chart-slices > a");
  await bars.first().waitFor();
  const [first, last] = [await bars.nth(4).boundingBox(), await bars.nth(9).boundingBox()];
  const height = first.y + first.height / 2;
  await page.mouse.move(first.x + first.width / 2, height);
  await page.mouse.down();
  await page.mouse.move(last.x + last.width / 2, height, { steps: 12 });
  assert.equal(await page.locator(".chart-slices > a[data-selected]").count(), 6);
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  const { searchParams } = new URL(page.url());
  const hours = (new Date(searchParams.get("to")) - new Date(searchParams.get("from"))) / 3_600_000;
  assert.ok(hours > 0 && hours < 24, String(hours));
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes("from="));
  await context.close();
});

test("what was done is told in a toast, also on the page it leads to", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/budgets/new");
  await page.locator("#name").fill("Told");
  await page.locator("#amount").fill("3");
  await page.getByTestId("submit").click();
  await page.waitForURL(/tab=budgets/);
  await page.getByTestId("toasts").getByText("Created.").waitFor();
  await page.getByRole("link", { name: "Told" }).click();
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByTestId("toasts").getByText("Disabled.").waitFor();
  await context.close();
});

test("a session that ends in a half-filled form is taken up again over it, and the form is sent once", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/budgets/new");
  await page.locator("#name").fill("Taken up");
  await page.locator("#amount").fill("3");
  await context.clearCookies({ name: /session/ });
  const posts = [];
  page.on("request", (request) => request.url().includes("create_budget") && posts.push(request));
  await page.getByTestId("submit").click();
  const overlay = page.getByTestId("session-ended");
  await overlay.getByText(ADMIN.email).waitFor();
  await overlay.locator("input").fill("not the password");
  await page.keyboard.press("Enter");
  await overlay.getByText("E-mail or password is wrong").waitFor();
  assert.equal(await page.locator("#name").inputValue(), "Taken up");
  await overlay.locator("input").fill(ADMIN.password);
  await page.keyboard.press("Enter");
  await page.getByTestId("toasts").getByText("Created.").waitFor();
  await page.waitForURL(/tab=budgets/);
  // One, and only one: a second would make this ambiguous.
  await page.getByTestId("budget").filter({ hasText: "Taken up" }).waitFor();
  assert.equal(posts.length, 2);
  await context.close();
});

test("what is switched off can be switched on again from its toast", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, `/budgets/${runs.budget}`);
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByTestId("toasts").getByText("Disabled.").waitFor();
  await page.getByTestId("toasts").getByRole("button", { name: "Undo" }).click();
  await page.getByTestId("toasts").getByText("Undone.").waitFor();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  await context.close();
});

test("the palette finds things by name and a run by its id", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const find = async (letters, name, goal) => {
    await open(page, "/settings/about");
    await page.keyboard.press("Control+k");
    const palette = page.getByTestId("palette");
    await palette.getByRole("combobox").fill(letters);
    await palette.getByRole("option", { name }).first().click();
    await page.waitForURL(goal);
  };
  await find("@browser st", "Browser stories", /\/keys\?peek=key_/);
  await page.getByTestId("drawer").getByRole("heading", { name: "Browser stories" }).waitFor();
  await find("team mo", "Team month", /\/budgets\/bdg_/);
  await find("llama-3", "llama-3-70b", /\/models\/prv_/);
  // Not the search for runs that hold these letters, which is there before the run is found.
  await find(runs.good, /Run$/, new RegExp(`/runs/${runs.good}`));
  await context.close();
});

test("a form that made something makes another one when it is sent again", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/models?tab=prices");
  await page.locator(".disclosure > summary").click();
  const keys = new Set();
  for (let times = 1; times <= 2; times += 1) {
    const form = page.locator("form[action*=create_price]");
    keys.add(await form.locator("[name=form_key]").inputValue());
    await form.locator("#match_ref").fill(`model:again-${process.pid}:*`);
    await form.locator("#input").fill("1");
    await form.locator("#output").fill("2");
    await form.getByTestId("submit").click();
    const rows = page.getByTestId("price").filter({ hasText: `model:again-${process.pid}:*` });
    await rows.nth(times - 1).waitFor();
    if (!(await form.locator("#match_ref").isVisible())) await page.locator(".disclosure > summary").click();
  }
  assert.equal(keys.size, 2);
  await context.close();
});

test("the address of a list opened elsewhere shows the same rows, columns and drawer", async () => {
  const shown = (page) =>
    page.evaluate(() => ({
      rows: [...document.querySelectorAll('[data-testid="run"] .row-link')].map((link) => link.getAttribute("href")),
      heads: [...document.querySelectorAll("table thead th")].map((head) => `${head.innerText} ${head.ariaSort}`),
      current: [...document.querySelectorAll('[data-testid="run"]')].findIndex((row) => row.ariaCurrent === "true"),
      drawer: document.querySelector('[data-testid="drawer"]')?.innerText,
    }));
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport });
  const page = await signIn(context);
  await open(page, "/runs");
  const all = (await shown(page)).rows;
  await page.getByTestId("filters").locator("summary", { hasText: "Status" }).click();
  await page.getByTestId("filters").getByRole("link", { name: /^Failed/ }).click();
  await page.locator('table .status:not([data-state="failed"])').first().waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: "Duration" }).getByRole("link").click();
  await page.locator('th[aria-sort="descending"]', { hasText: "Duration" }).waitFor();
  await page.getByTestId("columns").locator("summary").click();
  await page.getByTestId("columns").getByRole("link", { name: /^Tokens/ }).click();
  await page.getByRole("columnheader", { name: "Tokens" }).waitFor({ state: "detached" });
  await page.getByTestId("run").nth(1).locator(".cell-actions a").click();
  await page.getByTestId("drawer").locator("dl").waitFor();
  const here = await shown(page);
  assert.ok(here.rows.length > 1 && here.rows.length < all.length, "the filter narrows the list");
  assert.equal(here.current, 1);

  const elsewhere = await browser.newContext({ viewport });
  const other = await signIn(elsewhere);
  await other.goto(page.url());
  await other.locator("html[data-hydrated]").waitFor();
  assert.deepEqual(await shown(other), here);
  await Promise.all([context.close(), elsewhere.close()]);
});

for (const [request, lost, there] of [["find_overview", "Figures", "Running now"], ["list_running", "Running now", "Outcomes"]]) {
  test(`a panel of the home page that fails leaves the others, and loads again: ${lost}`, async () => {
    const context = await browser.newContext();
    const page = await signIn(context);
    await open(page, "/runs");
    await page.evaluate(() => {
      window.isStillHere = true;
    });
    await page.route(`**/ui/fn/${request}*`, (route) => route.abort());
    await page.locator(".rail-link", { hasText: "Home" }).click();
    const failure = page.locator("section", { has: page.getByTestId("failure") });
    await failure.getByRole("heading", { name: lost, exact: true }).waitFor();
    await page.getByRole("heading", { name: there, exact: true }).waitFor();
    const again = page.waitForEvent("requestfailed", (asked) => asked.url().includes(request));
    await Promise.all([again, failure.getByTestId("retry").click()]);
    await failure.waitFor();
    await page.unroute(`**/ui/fn/${request}*`);
    // Whatever changes in the workspace loads the panel too, perhaps before the click.
    const back = failure.waitFor({ state: "detached" });
    await Promise.race([failure.getByTestId("retry").click().catch(() => {}), back]);
    await back;
    await page.getByTestId("tiles").waitFor();
    await page.getByRole("heading", { name: "Running now", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => window.isStillHere), true, "the page was loaded anew");
    await context.close();
  });
}

test("an open run fills in by itself until it has ended", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const content = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
  const answer = await chat(runs.key, { model: "model:test:pace-150", stream: true, messages: [{ role: "user", content }] });
  await open(page, `/runs/${answer.headers.get("x-soit-run-id")}`);
  await page.evaluate(() => {
    window.isStillHere = true;
  });
  const head = page.locator(".title-line");
  const facts = page.getByTestId("facts");
  await head.locator('.status[data-state="running"]').waitFor();
  await head.locator('[data-testid="live"][data-state="live"]').waitFor();
  const pane = page.getByTestId("step-pane");
  await pane.locator("pre", { hasText: "word" }).first().waitFor();
  assert.doesNotMatch(await facts.innerText(), /\$/);
  await answer.text();
  await head.locator('.status[data-state="succeeded"]').waitFor();
  await head.getByTestId("live").waitFor({ state: "detached" });
  await pane.locator('.status[data-state="succeeded"]').first().waitFor();
  assert.match(await pane.innerText(), /word39/);
  assert.match(await facts.innerText(), /Tokens\s+\d+/);
  assert.match(await facts.innerText(), /Cost\s+[<≈]?\s*\$0\.0/);
  assert.equal(await page.evaluate(() => window.isStillHere), true, "the page was loaded anew");
  await context.close();
});

test("a list of very many runs asks for a page of them, and holds no more", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const calls = Array.from({ length: 8 }, async () => {
    for (let index = 0; index < 32; index += 1) {
      await (await chat(runs.key, { model: "model:test:echo" })).text();
    }
  });
  await Promise.all(calls);
  await open(page, "/runs");
  const [, total] = (await page.locator(".pager-info").innerText()).match(/of ([\d,]+)/);
  assert.ok(Number(total.replace(",", "")) > 256, total);
  for (let pages = 0; pages < 3; pages += 1) {
    const shown = await page.locator("tr, [role=row]").count();
    assert.ok(shown > 40 && shown <= 200, `${shown} rows`);
    const first = await page.getByTestId("run").first().locator(".row-link").getAttribute("href");
    await page.locator('.pager a[rel="next"]').click();
    await page.locator(`.row-link[href="${first}"]`).waitFor({ state: "detached" });
  }
  // Nobody gets more than that by asking for it.
  const query = { filter: {}, sort: "started_at", descending: true, limit: 10_000, cursor: null };
  const asked = await page.request.post(`${SOIT_URL}/ui/fn/list_runs`, {
    data: { workspace: workspaceOf(page), range: { Last: "24h" }, query },
    headers: { "sec-fetch-site": "same-origin" },
  });
  assert.equal(asked.status(), 400);
  assert.match(await asked.text(), /"field":"limit"/);
  await context.close();
});

test("a browser half that cannot be loaded leaves links, forms and a bar that says so", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.locator("#broken").waitFor();
  await page.locator("#email").fill("admin@example.com");
  await page.locator("#password").fill("changeme123");
  await page.getByTestId("submit").click();
  await page.waitForURL(/\/w\//);
  await page.locator('.rail a[href$="/keys"]').click();
  await page.waitForURL(/\/keys$/);
  await page.locator("#broken").waitFor();
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
