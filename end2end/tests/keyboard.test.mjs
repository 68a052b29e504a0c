// The console by keyboard alone: nothing here touches a pointer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { ADMIN, SOIT_URL, fillWorkspace, open, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

function story(name, tell) {
  test(`by keyboard: ${name}`, async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      await tell(await signIn(context), context);
    } finally {
      await context.close();
    }
  });
}

const has = (page, selector) => page.evaluate((selector) => document.activeElement.matches(selector), selector);

/** Presses a key until the focus is on what matches. */
async function walkTo(page, selector, key = "Tab") {
  for (let steps = 0; steps < 80; steps += 1) {
    if (await has(page, selector)) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${selector} cannot be reached by ${key}`);
}

/** Waits until the focus is on what matches. */
const focused = (page, selector) =>
  page.waitForFunction((selector) => document.activeElement.matches(selector), selector, { timeout: 5_000 });

test("by keyboard: sign in", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await focused(page, "#email");
  await page.keyboard.type(ADMIN.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/w\//);
  await context.close();
});

story("the first stop is the skip link, every stop is seen, and none is a bar of the chart", async (page) => {
  await open(page, "");
  await page.keyboard.press("Tab");
  assert.ok(await has(page, ".skip-link"));
  const unseen = [];
  for (let steps = 0; steps < 60 && !(await has(page, "body")); steps += 1) {
    assert.ok(!(await has(page, ".chart-slices a")), "the rows of the table lead where the bars lead");
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      const box = element.getBoundingClientRect();
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      const isSeen = box.width > 1 && box.height > 1 && (outlineStyle !== "none" || boxShadow !== "none");
      return isSeen ? undefined : element.outerHTML.slice(0, 120);
    });
    if (name) unseen.push(name);
    await page.keyboard.press("Tab");
  }
  assert.deepEqual(unseen, []);
  await open(page, "/runs");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await focused(page, "#main");
});

story("J opens the first row, J and K move, Escape gives the focus back to the row", async (page) => {
  await open(page, "/runs");
  const rows = await page.getByTestId("run").locator(".row-link").evaluateAll((links) => links.map((link) => link.href.split("/").pop()));
  await page.keyboard.press("j");
  await page.waitForURL(new RegExp(`peek=${rows[0]}`));
  await focused(page, ".drawer");
  await page.keyboard.press("j");
  await page.waitForURL(new RegExp(`peek=${rows[1]}`));
  await page.locator('.drawer [data-shortcut="k"]').waitFor();
  await page.keyboard.press("k");
  await page.waitForURL(new RegExp(`peek=${rows[0]}`));
  await page.getByTestId("drawer").waitFor();
  await page.locator(`.drawer [data-shortcut="Enter"][href*="${rows[0]}"]`).waitFor();
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("o")]);
  await tab.waitForURL(new RegExp(`/runs/${rows[0]}`));
  await tab.close();
  await page.keyboard.press("Escape");
  await page.getByTestId("drawer").waitFor({ state: "detached" });
  await focused(page, "tbody tr:first-child .cell-actions a");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`peek=${rows[0]}`));
  await focused(page, ".drawer");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/runs/${rows[0]}`));
  await focused(page, "#main");
});

story("pick a step of a run that tried three times", async (page) => {
  await open(page, `/runs/${runs.bad}`);
  await page.getByTestId("step").nth(2).waitFor();
  const current = () => page.getByTestId("step").evaluateAll((steps) => steps.findIndex((step) => step.ariaCurrent === "true"));
  const start = await current();
  const key = start === 0 ? "j" : "k";
  await page.keyboard.press(key);
  await page.waitForURL(/step=stp_/);
  await page.waitForFunction(
    (start) => [...document.querySelectorAll(".step")].findIndex((step) => step.ariaCurrent === "true") !== start,
    start,
  );
});

story("create a key", async (page) => {
  await open(page, "/keys");
  await page.keyboard.press("c");
  await page.waitForURL(/\/keys\/new/);
  await page.locator("#name").waitFor();
  await walkTo(page, "#name");
  await page.keyboard.type("By keyboard, with j k g r / ?");
  assert.equal(await page.locator("#name").inputValue(), "By keyboard, with j k g r / ?");
  for (let step = 1; step <= 3 && !/reveal/.test(page.url()); step += 1) {
    await walkTo(page, "button[type=submit].btn--primary");
    await page.keyboard.press("Enter");
    await Promise.race([
      page.waitForURL(/reveal/),
      page.locator(`.stepper li:nth-child(${step + 1})[aria-current="step"]`).waitFor(),
    ]);
  }
  await page.getByTestId("secret").waitFor();
});

story("a dialog keeps the focus, Escape leaves it, the key is revoked by typing its name", async (page) => {
  const rest = await signInApi();
  const { item } = await rest("POST", "/api/v1/api-keys", { name: "Typed away", scopes: ["read"] });
  await open(page, `/keys?peek=${item.id}`);
  await walkTo(page, ".drawer-foot .btn--danger");
  await page.keyboard.press("Enter");
  await page.locator("dialog:modal").waitFor();
  for (let steps = 0; steps < 8; steps += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement.matches("dialog *, body, dialog")), "the focus left the dialog");
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog:modal").waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.search.includes("revoke"));
  await focused(page, "#main, #main *");
  await open(page, `/keys?revoke=${item.id}`);
  await walkTo(page, "#confirm-name");
  await page.keyboard.type("Typed away");
  await page.keyboard.press("Enter");
  await page.getByTestId("toasts").getByText("Key revoked.").waitFor();
  await page.waitForURL(/\/keys$/);
});

story("the palette leads to a page, flips the theme, and gives the focus back", async (page) => {
  await open(page, "/runs");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+k");
  await focused(page, "[role=combobox]");
  await page.keyboard.press("Escape");
  await page.locator("dialog:modal").waitFor({ state: "detached" });
  await focused(page, ".skip-link");
  await page.keyboard.press("Control+k");
  await focused(page, "[role=combobox]");
  await page.keyboard.type("bud");
  await page.getByRole("option", { name: /budgets/i, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/tab=budgets/);
  await page.keyboard.press("Control+k");
  await focused(page, "[role=combobox]");
  await page.keyboard.type(">dark");
  await page.getByRole("option", { name: "Dark", selected: true }).waitFor();
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.match(page.url(), /tab=budgets/);
});

story("the palette names what it finds, does what the page can do, and remembers", async (page) => {
  const ask = async (letters) => {
    await page.keyboard.press("Control+k");
    await focused(page, "[role=combobox]");
    await page.keyboard.type(letters);
  };
  await open(page, "/runs");
  await ask("@browser st");
  await page.getByRole("option", { name: /Browser stories.*API key/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/keys\?peek=key_/);
  await open(page, "/runs");
  await page.keyboard.press("Control+k");
  await focused(page, "[role=combobox]");
  const recent = page.getByRole("group", { name: "Recent" }).getByRole("option");
  await recent.filter({ hasText: "Browser stories" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/keys\?peek=key_/);
  await open(page, "/keys");
  await ask(">new key");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/keys\/new/);
  await open(page, "/keys");
  await page.keyboard.press(".");
  assert.equal(await page.locator("[role=combobox]").inputValue(), ">");
  await page.getByRole("option", { name: "New key" }).first().waitFor();
  await page.keyboard.press("Escape");
  await ask("?");
  await page.getByRole("option", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#shortcuts:popover-open").waitFor();
});

story("shortcuts lead around, the list of them opens and closes, an open menu closes", async (page) => {
  const base = `/w/${workspaceOf(page)}`;
  await open(page, "");
  for (const [key, path] of [["r", "/runs"], ["k", "/keys"], ["m", "/models"], ["s", "/settings/profile"], ["h", ""]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForURL(`${SOIT_URL}${base}${path}`);
    await focused(page, "#main");
  }
  await page.keyboard.press("?");
  await page.locator("#shortcuts:popover-open").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#shortcuts:popover-open").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await focused(page, ".search-input");
  await walkTo(page, '[data-testid="theme"] summary');
  await page.keyboard.press("Enter");
  await page.locator('[data-testid="theme"][open]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator('[data-testid="theme"]:not([open])').waitFor();
  assert.ok(await has(page, '[data-testid="theme"] summary'));
});
