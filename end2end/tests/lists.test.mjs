// What lists share: columns in one's own order, rows that are ticked, and views that are saved.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_API_URL, SOIT_URL, fillWorkspace, open, signIn, signInApi } from "../session.mjs";

let browser;
let rest;
let runs;

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
  runs = await fillWorkspace(rest);
});
after(() => browser?.close());

/** A story told with scripts and without. */
function story(name, tell) {
  for (const scripts of [true, false]) {
    test(`${name}, ${scripts ? "with" : "without"} scripts`, async () => {
      const context = await browser.newContext({ javaScriptEnabled: scripts });
      try {
        const page = await signIn(context);
        const go = async (path) => {
          if (scripts) return open(page, path);
          return page.goto(`${SOIT_URL}/w/default${path}`);
        };
        await tell(page, go, scripts);
      } finally {
        await context.close();
      }
    });
  }
}

const heads = (page) => page.getByTestId("runs").locator("thead th").allInnerTexts();
const box = (page, id) => page.locator(`input[name=pick][value="${id}"]`);
const views = (page) => page.getByTestId("views");
const parameter = (page, name) => new URL(page.url()).searchParams.get(name);

/** So many calls that go on until they are called off. */
async function slowCalls(count) {
  const { api_key: key } = await rest("POST", "/api/v1/api-keys", { name: "Slow", scopes: ["write"] });
  const call = () =>
    fetch(`${SOIT_API_URL}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "model:test:slow-60000", messages: [{ role: "user", content: "slow" }] }),
    }).then((answer) => answer.json());
  const calls = Array.from({ length: count }, call);
  let going = [];
  while (going.length < count) going = (await rest("GET", "/api/v1/runs?limit=200&status=running&model_ref=model:test:slow-60000")).items;
  return { calls, ids: going.map((run) => run.id) };
}

story("columns are left out, and stand in the order one likes", async (page, go) => {
  await go("/runs");
  const columns = page.getByTestId("columns");
  await columns.locator("summary").click();
  await Promise.all([page.waitForURL(/cols=/), columns.getByRole("link", { name: "Move Cost forward" }).click()]);
  const moved = (await heads(page)).map((head) => head.trim());
  assert.ok(moved.indexOf("Cost") < moved.indexOf("Tokens"), String(moved));
  // The order is in the address: who opens it sees the same.
  await page.reload();
  assert.deepEqual((await heads(page)).map((head) => head.trim()), moved);
  await columns.locator("summary").click();
  const first = columns.getByRole("link", { name: "Move Model forward" });
  assert.equal(await first.count(), 0, "the first has no place before it");
  await Promise.all([
    page.waitForURL((url) => !url.search.includes("cols=")),
    columns.getByRole("link", { name: "Move Cost back" }).click(),
  ]);
});

story("rows that are ticked are canceled together", async (page, go, scripts) => {
  const { calls, ids } = await slowCalls(2);
  await go("/runs?f.status=running");
  const bar = page.getByTestId("bulk");
  assert.ok(await bar.isHidden(), "nothing is ticked");
  for (const id of ids) await box(page, id).check();
  await bar.waitFor();
  if (scripts) await page.waitForFunction((ids) => ids.every((id) => location.search.includes(id)), ids);
  await bar.getByRole("button", { name: "Cancel…" }).click();
  const dialog = page.getByTestId("confirm");
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /Cancel 2 runs\?/);
  await dialog.getByRole("button", { name: "Cancel runs" }).click();
  await page.waitForURL((url) => !url.search.includes("ask="));
  for (const call of calls) assert.equal((await call).error.code, "run_canceled");
  for (const id of ids) assert.equal((await rest("GET", `/api/v1/runs/${id}`)).status, "canceled");
  assert.equal(parameter(page, "f.status"), "running", "the list stays as it was");
});

story("all that match are exported, and just those that are ticked", async (page, go) => {
  await go("/runs");
  await box(page, runs.bad).check();
  await page.getByTestId("bulk").getByRole("button", { name: "Export…" }).click();
  const dialog = page.getByTestId("confirm");
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /Export 1 run/);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: /JSONL/ }).click(),
  ]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString().trim().split("\n").map(JSON.parse);
  assert.deepEqual(lines.slice(0, -1).map((line) => line.record.id), [runs.bad]);
  await dialog.getByRole("link", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.ok(await box(page, runs.bad).isChecked(), "what is ticked stays");
});

test("what is ticked is there again after the way to a run and back, and every row of a page is ticked at once", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/runs");
  await box(page, runs.bad).check();
  await box(page, runs.good).check();
  await page.getByText("2 selected").waitFor();
  await page.waitForFunction((ids) => ids.every((id) => location.search.includes(id)), [runs.bad, runs.good]);
  await page.locator(`a.row-link[href*="${runs.good}"]`).click();
  await page.waitForURL(/\/runs\/run_/);
  await page.goBack();
  await page.getByText("2 selected").waitFor();
  assert.ok((await box(page, runs.bad).isChecked()) && (await box(page, runs.good).isChecked()));
  await page.getByRole("checkbox", { name: "Select every run on this page" }).check();
  const rows = await page.getByTestId("run").count();
  await page.getByText(`${rows} selected`).waitFor();
  await page.getByRole("link", { name: "Clear selection" }).click();
  await page.getByTestId("bulk").waitFor({ state: "hidden" });
  // The key of a row ticks the one in the drawer.
  await page.keyboard.press("j");
  await page.getByTestId("drawer").waitFor();
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  assert.equal(await page.locator("tr[aria-current=true] input[name=pick]").isChecked(), true);
  await page.keyboard.press("x");
  await page.getByTestId("bulk").waitFor({ state: "hidden" });
  await context.close();
});

test("all that match are ticked and canceled, those on later pages too", async () => {
  const { calls, ids } = await slowCalls(55);
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/runs?f.status=running");
  await box(page, ids[0]).check();
  await page.getByRole("checkbox", { name: /All .*5\d.* matching/ }).check();
  assert.equal(await page.locator("input[name=pick]:not(:checked)").count(), 0, "each row shows it");
  await page.getByTestId("bulk").getByRole("button", { name: "Cancel…" }).click();
  const dialog = page.getByTestId("confirm");
  assert.match(await dialog.innerText(), /Cancel 5\d runs\?/);
  await dialog.getByRole("button", { name: "Cancel runs" }).click();
  await page.getByTestId("toasts").getByText(/5\d runs are asked to end/).waitFor();
  for (const call of calls) assert.equal((await call).error.code, "run_canceled");
  await context.close();
});

story("a view is saved, opens the list, tells a change, and is deleted", async (page, go, scripts) => {
  const name = `Failed ${scripts} ${process.pid}`;
  const present = () => views(page).locator("summary").innerText();
  await go("/runs?f.status=failed&range=7d");
  await views(page).locator("summary").click();
  await views(page).getByRole("link", { name: "Save as a new view…" }).click();
  const drawer = page.getByTestId("drawer");
  await drawer.locator("#name").fill(name);
  await drawer.locator("#default").check();
  await drawer.getByTestId("submit").click();
  await page.waitForURL(/view=viw_/);
  await page.getByTestId("views").getByText(name).first().waitFor();
  assert.equal(parameter(page, "f.status"), "failed");

  // The list opens with it where its address says nothing, and without it where that is chosen.
  await page.goto(`${SOIT_URL}/w/default/runs`);
  await page.waitForURL(/view=viw_/);
  assert.equal(parameter(page, "range"), "7d");
  assert.ok((await present()).includes(name));
  await views(page).locator("summary").click();
  await Promise.all([page.waitForURL(/view=none/), views(page).getByRole("link", { name: "No view" }).click()]);
  assert.equal(parameter(page, "f.status"), null);

  // A change is told, and kept where one wants it.
  await page.goto(`${SOIT_URL}/w/default/runs`);
  await page.waitForURL(/view=viw_/);
  if (scripts) await page.locator("html[data-hydrated]").waitFor();
  assert.equal(await page.getByTestId("view-changed").count(), 0);
  await page.getByTestId("range").getByRole("link", { name: "30 d" }).click();
  await page.waitForURL(/range=30d/);
  await page.getByTestId("view-changed").waitFor();
  await views(page).locator("summary").click();
  await views(page).getByRole("button", { name: "Save changes" }).click();
  await page.getByTestId("view-changed").waitFor({ state: "detached" });
  const saved = (await rest("GET", "/api/v1/me/views?page=runs")).items.find((view) => view.name === name);
  assert.match(saved.query, /range=30d/);
  assert.equal(saved.default, true, "what the form does not speak of stays");

  // A name is used once.
  await go("/runs?save=1&view=none");
  await page.getByTestId("drawer").locator("#name").fill(name.toUpperCase());
  await page.getByTestId("drawer").getByTestId("submit").click();
  await page.getByTestId("form-summary").waitFor();
  assert.equal(await page.getByTestId("drawer").locator("#name").inputValue(), name.toUpperCase());

  await go(`/runs?view=${saved.id}&edit=${saved.id}`);
  await page.getByTestId("drawer").getByRole("link", { name: "Delete" }).click();
  await page.getByTestId("confirm").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/view=none/);
  await page.goto(`${SOIT_URL}/w/default/runs`);
  assert.equal(parameter(page, "view"), null, "the list opens plainly again");
});

test("a shared view is seen by others, who may open their list with it and not change it", async () => {
  const { workspaces } = await rest("GET", "/api/v1/me");
  const email = `grace-${process.pid}@example.com`;
  const invited = await rest("POST", `/api/v1/workspaces/${workspaces[0].id}/invitations`, { email, role: "viewer" });
  const token = invited.link.split("#")[1];
  const password = "quartz lantern meadow 58";
  await fetch(`${SOIT_API_URL}/api/v1/invitations/accept`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "Grace", password }),
  });
  const shared = await rest("POST", "/api/v1/me/views", { page: "runs", name: "Everybody's", query: "f.status=failed", shared: true });
  const own = await rest("POST", "/api/v1/me/views", { page: "runs", name: "Mine alone", query: "" });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await page.locator("form button[type=submit]").first().click();
  await page.waitForURL(/\/w\//);
  await open(page, "/runs");
  assert.equal(await box(page, runs.bad).count(), 0, "who can do nothing to runs ticks none");
  await views(page).locator("summary").click();
  assert.equal(await views(page).getByText("Mine alone").count(), 0);
  await views(page).getByRole("link", { name: "Edit Everybody's" }).click();
  const drawer = page.getByTestId("drawer");
  await drawer.waitFor();
  assert.equal(await drawer.locator("#name").count(), 0);
  await drawer.locator("#default").check();
  await drawer.getByTestId("submit").click();
  await drawer.waitFor({ state: "detached" });
  await page.goto(`${SOIT_URL}/w/default/runs`);
  await page.waitForURL(/f\.status=failed/);
  for (const view of [shared, own]) await rest("DELETE", `/api/v1/me/views/${view.id}`);
  await page.goto(`${SOIT_URL}/w/default/runs`);
  assert.equal(parameter(page, "view"), null);
  await context.close();
});
