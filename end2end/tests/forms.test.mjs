// Forms lose nothing: what was typed is asked for before it is left, and outlives a change somebody else made meanwhile.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, open, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let rest;
const made = [];

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
});
after(async () => {
  await browser?.close();
  for (const api of made) await rest("DELETE", api);
});

/** A budget of its own, and the address of its page. */
async function newBudget(name) {
  const budget = { name, scope_kind: "workspace", period: "month", currency: "USD", amount: "5", hard_stop: true };
  const { id, version } = await rest("POST", "/api/v1/billing/budgets", budget);
  const api = `/api/v1/billing/budgets/${id}`;
  made.push(api);
  const change = (changes) => rest("PATCH", api, changes, { "if-match": `"${version}"` });
  return { api, change, path: `/budgets/${id}` };
}

test("a page with something unsent asks before a link leaves it", async () => {
  const { path } = await newBudget("Guarded");
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, path);
  const [name, question] = [page.locator("#name"), page.getByTestId("unsent")];
  const leave = () => page.locator('.rail a[href$="/keys"]').click();
  await name.fill("Half typed");
  await leave();
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  assert.match(page.url(), /\/budgets\/bdg_/);
  assert.equal(await name.inputValue(), "Half typed");

  // The back link of the form asks too, the keyboard as well, another tab never.
  await page.getByRole("link", { name: "Cancel" }).click();
  await question.waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  const [tab] = await Promise.all([context.waitForEvent("page"), page.locator('.rail a[href$="/keys"]').click({ modifiers: ["ControlOrMeta"] })]);
  await tab.close();
  assert.equal(await question.count(), 0);

  // What is as it was again is left without a word.
  await name.fill("Guarded");
  await leave();
  await page.waitForURL(/\/keys$/);

  await open(page, path);
  await name.fill("Half typed");
  await leave();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL(/\/keys$/);
  await context.close();
});

test("a page with something unsent asks before it is loaded anew, and not once it was sent", async () => {
  const { path } = await newBudget("Reloaded");
  const context = await browser.newContext();
  const page = await signIn(context);
  const asked = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return dialog.accept();
  });
  await open(page, path);
  const switched = page.getByRole("switch");
  await switched.click();
  await page.reload();
  await page.locator("html[data-hydrated]").waitFor();
  assert.deepEqual(asked, ["beforeunload"]);
  await switched.click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/tab=budgets/);
  await page.reload();
  await open(page, path);
  await page.reload();
  assert.deepEqual(asked, ["beforeunload"]);

  // What asks nothing of its reader: a search, a filter, a range.
  await open(page, "/runs");
  for (const field of await page.locator("main input[type=search], main input[type=text]").all()) {
    if (await field.isVisible()) await field.fill("abc");
  }
  await page.reload();
  assert.deepEqual(asked, ["beforeunload"]);
  await context.close();
});

test("a save that came too late keeps mine, shows theirs, and can have both", async () => {
  const { api, change, path } = await newBudget("Contested");
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, path);
  await page.locator("#name").fill("Mine");
  await page.locator("#thresholds").fill("70");
  await change({ name: "Theirs", amount: "9" });
  await page.getByRole("button", { name: "Save" }).click();
  const theirs = page.locator("#name-stored");
  await theirs.getByText("Theirs").waitFor();
  assert.match(page.url(), /\/budgets\/bdg_/);
  assert.equal(await page.locator('[data-testid="form-summary"]').getAttribute("data-code"), "precondition_failed");
  // What I changed is mine, what I left alone is theirs.
  for (const [field, value] of [["name", "Mine"], ["thresholds", "70"], ["amount", "9"]]) {
    assert.equal(await page.locator(`#${field}`).inputValue(), value, field);
  }
  assert.equal(await page.locator("#amount-stored").count(), 0);
  await theirs.getByRole("link").click();
  await theirs.waitFor({ state: "hidden" });
  assert.equal(await page.locator("#name").inputValue(), "Theirs");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/tab=budgets/);
  const { name, amount, thresholds } = await rest("GET", api);
  assert.deepEqual({ name, amount, thresholds }, { name: "Theirs", amount: "9", thresholds: [70] });
  await context.close();
});

test("without scripts a save that came too late shows theirs, with a link that takes it", async () => {
  const { api, change, path } = await newBudget("Contested plainly");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context);
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`);
  await page.locator("#name").fill("Mine");
  await change({ name: "Theirs", amount: "9" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#name-stored").getByText("Theirs").waitFor();
  assert.equal(await page.locator("#name").inputValue(), "Mine");
  assert.equal(await page.locator("#amount").inputValue(), "9");
  await page.locator("#name-stored").getByRole("link").click();
  assert.equal(await page.locator("#name").inputValue(), "Theirs");
  assert.equal(await page.locator("#name-stored").count(), 0);
  await page.locator("#name").fill("Both");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/tab=budgets/);
  assert.equal((await rest("GET", api)).name, "Both");
  await context.close();
});
