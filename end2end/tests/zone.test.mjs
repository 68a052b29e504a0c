// A page in another zone than its reader's own: what is shown and what the address says stay one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { fillWorkspace, open, signIn, signInApi } from "../session.mjs";

let browser;

before(async () => {
  browser = await launchBrowser();
  await fillWorkspace(await signInApi());
});
after(() => browser?.close());

test("a chosen zone goes along inside the console until it is let go of", async () => {
  const context = await browser.newContext({ timezoneId: "Europe/Berlin" });
  const page = await signIn(context);
  await open(page, "/runs?tz=Asia/Tokyo");
  const meta = page.locator(".page-meta").first();
  await meta.filter({ hasText: "Asia/Tokyo" }).waitFor();
  await page.evaluate(() => (window.isSamePage = true));
  await page.locator('.rail a[href*="/keys"]').click();
  await page.waitForURL(/\/keys\?tz=Asia\/Tokyo$/);
  await page.getByTestId("zone").waitFor();
  await page.locator('.rail a[href*="/runs"]').click();
  await page.waitForURL(/\/runs\?tz=Asia\/Tokyo$/);
  await page.getByTestId("run").first().locator(".row-link").click();
  await page.waitForURL(/\/runs\/run_\w+\?tz=Asia\/Tokyo$/);
  await page.locator('time[title$="Asia/Tokyo"]').first().waitFor();
  assert.ok(await page.evaluate(() => window.isSamePage), "no page was loaded on the way");

  await page.getByTestId("zone").getByRole("link").click();
  await page.waitForURL(/\/runs\/run_\w+$/);
  await page.locator('time[title$="Europe/Berlin"]').first().waitFor();
  assert.equal(await page.getByTestId("zone").count(), 0);
  await page.goBack();
  await page.locator('time[title$="Asia/Tokyo"]').first().waitFor();
  await context.close();
});

test("an address of another zone within the console is loaded as a page of its own", async () => {
  const context = await browser.newContext({ timezoneId: "Europe/Berlin" });
  const page = await signIn(context);
  await open(page, "/runs");
  await page.evaluate(() => {
    const link = document.createElement("a");
    link.href = `${window.location.pathname.replace("/runs", "/keys")}?tz=Asia/Tokyo`;
    link.id = "elsewhere";
    link.textContent = "elsewhere";
    document.querySelector("main").append(link);
  });
  await page.locator("#elsewhere").click();
  await page.getByTestId("zone").filter({ hasText: "Asia/Tokyo" }).waitFor();
  assert.match(page.url(), /\/keys\?tz=Asia\/Tokyo$/);
  await page.goBack();
  await page.waitForURL(/\/runs$/);
  await page.locator('time[title$="Europe/Berlin"]').first().waitFor();
  await context.close();
});
