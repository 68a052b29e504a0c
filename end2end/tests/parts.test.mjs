// The parts of the browser half: nothing of them comes with the first view, each comes when one of its pages is opened, and
// one that cannot be loaded is said to be so and tried again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, fillWorkspace, open, signIn, signInApi, workspaceOf } from "../session.mjs";

const PART = /\/pkg\/soit_([a-z]+)\.[0-9a-f]{16}\.wasm$/;
let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

/** A page of every part, by the workspace it stands in. */
const PAGES = {
  account: () => "/second-factor",
  tenancy: () => "/operator/tenants",
  kit: () => "/ui/kit",
  comparing: (base) => `${base}/runs/compare?a=${runs.good}&b=${runs.bad}`,
  ledger: (base) => `${base}/audit`,
  keys: (base) => `${base}/keys`,
  access: (base) => `${base}/access`,
  models: (base) => `${base}/models`,
  settings: (base) => `${base}/settings/profile`,
};

function story(name, tell) {
  test(`parts: ${name}`, async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      await tell(await signIn(context), context);
    } finally {
      await context.close();
    }
  });
}

/** The parts that a page asks for from now on. */
function asked(page) {
  const parts = [];
  page.on("request", (request) => {
    const part = new URL(request.url()).pathname.match(PART)?.[1];
    if (part) parts.push(part);
  });
  return parts;
}

/** What the console of a page complains about from now on. */
function complaints(page) {
  const told = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) told.push(message.text());
  });
  page.on("pageerror", (error) => told.push(String(error)));
  return told;
}

/** Marks the document; a mark that is gone later tells that the page was loaded anew. */
const mark = (page) => page.evaluate(() => void (window.isStillHere = true));
const isMarked = (page) => page.evaluate(() => window.isStillHere === true);
const link = (page, path) => page.locator(`#rail a[href$="${path}"]`);
const title = (page) => page.locator("main h1").innerText();

story("home, the runs and a run load none", async (page) => {
  const parts = asked(page);
  for (const path of ["", "/runs", `/runs/${runs.good}`]) await open(page, path);
  assert.deepEqual(parts, []);
});

for (const [part, address] of Object.entries(PAGES)) {
  story(`${part}, by its address, comes before the page wakes up, which it does in one go`, async (page) => {
    const [parts, told] = [asked(page), complaints(page)];
    await page.goto(SOIT_URL + address(`/w/${workspaceOf(page)}`));
    await page.locator("html[data-hydrated]").waitFor();
    assert.ok(await title(page));
    assert.ok(parts.includes(part), parts.join());
    assert.deepEqual(parts.filter((other) => other !== part && other !== "shared"), []);
    assert.deepEqual(told, []);
    assert.ok(await page.locator("#broken").isHidden());
  });
}

story("links lead to every part that the rail names, each is asked for once, and the page is never loaded anew", async (page) => {
  const [parts, told] = [asked(page), complaints(page)];
  await open(page, "");
  await mark(page);
  for (const round of [1, 2]) {
    for (const path of ["/tasks", "/events", "/keys", "/models", "/access", "/audit", "/settings/profile"]) {
      await link(page, path).click();
      await page.waitForURL(`**${path}`);
      await page.locator(`#rail a[href$="${path}"][aria-current]`).waitFor();
      assert.ok(await title(page), `round ${round}`);
    }
  }
  assert.ok(await isMarked(page));
  assert.deepEqual([...parts].sort(), ["access", "keys", "ledger", "models", "settings", "shared"]);
  assert.deepEqual(told, []);
});

story("the palette leads to one by keyboard", async (page) => {
  const parts = asked(page);
  await open(page, "/runs");
  await mark(page);
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement.matches("[role=combobox]"));
  await page.keyboard.type("budgets");
  await page.getByRole("option", { name: /budgets/i, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/keys\?tab=budgets/);
  await page.locator("main .tabs a[aria-current]", { hasText: "Budgets" }).waitFor();
  assert.ok(parts.includes("keys"));
  assert.ok(await isMarked(page));
});

story("the page before stays, and says that it waits, while one is on its way", async (page) => {
  await open(page, "/runs");
  let go;
  const gate = new Promise((resolve) => (go = resolve));
  await page.route("**/soit_models.*.wasm", async (route) => {
    await gate;
    await route.continue();
  });
  const runsTitle = await title(page);
  await link(page, "/models").click();
  await page.locator("html[data-loading]").waitFor();
  assert.equal(await title(page), runsTitle);
  go();
  await page.waitForURL(/\/models$/);
  await page.locator("html:not([data-loading])").waitFor();
  assert.notEqual(await title(page), runsTitle);
});

story("where the network is cut the page says so, and the first retry brings it back in place", async (page, context) => {
  await open(page, "");
  await mark(page);
  await context.setOffline(true);
  await link(page, "/settings/profile").click();
  await page.getByTestId("not-loaded").getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  await page.waitForURL(/\/settings\/profile$/);
  await context.setOffline(false);
  await page.getByTestId("not-loaded").getByTestId("retry").click();
  await page.getByTestId("profile-form").or(page.locator(".settings")).first().waitFor();
  assert.equal(await page.getByTestId("not-loaded").count(), 0);
  assert.ok(await isMarked(page), "the page was loaded anew");
});

story("a part that stays away is tried in place once, then the page is loaded anew", async (page) => {
  await open(page, "");
  await mark(page);
  let tries = 0;
  await page.route("**/soit_models.*.wasm", async (route) => {
    tries += 1;
    await route.fulfill({ status: 404, body: "gone" });
  });
  await link(page, "/models").click();
  await page.getByTestId("not-loaded").waitFor();
  const before = tries;
  const refused = page.waitForResponse(/soit_models/);
  await page.getByTestId("retry").click();
  await refused;
  assert.ok(await isMarked(page));
  assert.equal(tries, before + 1);
  await page.unroute("**/soit_models.*.wasm");
  await Promise.all([page.waitForEvent("load"), page.getByTestId("retry").click()]);
  await page.locator("html[data-hydrated]").waitFor();
  assert.equal(await isMarked(page), false);
  assert.equal(await page.getByTestId("not-loaded").count(), 0);
  assert.match(page.url(), /\/models$/);
});

story("a page whose own part stays away works by full loads, and says that it is broken", async (page) => {
  const base = `/w/${workspaceOf(page)}`;
  await page.route("**/soit_access.*.wasm", (route) => route.abort());
  await page.goto(`${SOIT_URL}${base}/access`);
  await page.locator("#broken").waitFor();
  await page.locator("main .tabs a", { hasText: "Invitations" }).click();
  await page.waitForURL(/tab=invitations/);
  await page.locator("#broken").waitFor();
  await link(page, "/runs").click();
  await page.waitForURL(/\/runs$/);
  await page.locator("html[data-hydrated]").waitFor();
  assert.ok(await page.locator("#broken").isHidden());
});
