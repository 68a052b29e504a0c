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

test("back and forward bring back what was typed, and not what was given up or sent", async () => {
  const { api, change, path } = await newBudget("Gone back from");
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/keys?tab=budgets");
  const row = page.getByTestId("budget").filter({ hasText: "Gone back from" }).getByRole("link").first();
  const [name, amount, hard] = [page.locator("#name"), page.locator("#amount"), page.getByRole("switch")];
  const enter = async () => {
    await row.click();
    await page.waitForURL(/\/budgets\/bdg_/);
    await name.waitFor();
  };
  const back = async () => {
    await page.goBack();
    await row.waitFor();
  };
  await enter();
  await name.fill("Half typed");
  await hard.click();
  await back();
  await page.goForward();
  await page.waitForURL(/\/budgets\/bdg_/);
  await page.waitForFunction(() => document.querySelector("#name")?.value === "Half typed");
  assert.equal(await hard.isChecked(), false);
  assert.equal(await amount.inputValue(), "5");

  // A link to it does as well, and a change somebody else made meanwhile is not overwritten unseen.
  await back();
  await change({ name: "Theirs" });
  await enter();
  await page.waitForFunction(() => document.querySelector("#name")?.value === "Half typed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#name-stored").getByText("Theirs").waitFor();
  assert.equal((await rest("GET", api)).name, "Theirs");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/tab=budgets/);
  assert.equal((await rest("GET", api)).name, "Half typed");

  // What was sent, or given up, is gone.
  const renamed = page.getByTestId("budget").filter({ hasText: "Half typed" }).getByRole("link").first();
  await renamed.click();
  await name.waitFor();
  await name.fill("Given up");
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByTestId("unsent").getByRole("button", { name: "Leave" }).click();
  await renamed.waitFor();
  await renamed.click();
  await name.waitFor();
  assert.equal(await name.inputValue(), "Half typed");
  await context.close();
});

test("what is drawn anew around a half-typed form leaves it as it is", async () => {
  const { path } = await newBudget("Drawn anew");
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, path);
  const live = (state) => page.locator(`[data-testid="live"][data-state="${state}"]`).waitFor();
  await live("live");
  await page.locator("#name").fill("Half typed");
  await page.locator("#name").evaluate((field) => (field.dataset.first = ""));
  const turn = (visibility) =>
    page.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, visibility);
  await turn("hidden");
  await live("paused");
  const [shell] = await Promise.all([page.waitForResponse(/find_shell/), turn("visible")]);
  await shell.finished();
  await live("live");
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#name").inputValue(), "Half typed");

  // A form of one button beside it, after which the page is read anew.
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#name").inputValue(), "Half typed");
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
