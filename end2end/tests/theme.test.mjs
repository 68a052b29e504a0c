// The colours a reader has chosen are there from the first paint on, and need no scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, prefer, signIn, workspaceOf } from "../session.mjs";

const GROUND = { light: "rgb(251, 250, 248)", dark: "rgb(14, 17, 21)" };
let browser;

before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

const ground = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

for (const [theme, system] of [["dark", "light"], ["light", "dark"]]) {
  test(`no frame of a page in ${theme} has another ground, whatever the system prefers`, async () => {
    const context = await browser.newContext({ colorScheme: system });
    await prefer(context, { theme, lang: "en" });
    const page = await signIn(context);
    await page.addInitScript(() => {
      window.grounds = [];
      const look = () => {
        const { backgroundColor } = getComputedStyle(document.documentElement);
        if (window.grounds.at(-1) !== backgroundColor) window.grounds.push(backgroundColor);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      new PerformanceObserver((list) => {
        window.firstPaint ??= list.getEntries()[0].startTime;
      }).observe({ type: "paint", buffered: true });
      new MutationObserver(() => {
        if (document.documentElement.hasAttribute("data-hydrated")) window.hydrated ??= performance.now();
      }).observe(document, { attributes: true, subtree: true });
    });
    for (const path of [`/w/${workspaceOf(page)}`, `/w/${workspaceOf(page)}/runs`]) {
      await page.goto(SOIT_URL + path);
      await page.locator("html[data-hydrated]").waitFor();
      await page.waitForFunction(() => window.firstPaint !== undefined && window.hydrated !== undefined);
      assert.deepEqual(await page.evaluate(() => window.grounds), [GROUND[theme]], path);
      assert.ok(await page.evaluate(() => window.firstPaint < window.hydrated), `${path} was painted before it woke`);
    }
    await context.close();
  });
}

test("without scripts and without a choice the system's preference counts", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context);
  for (const path of ["/sign-in", `/w/${workspaceOf(page)}/runs`]) {
    await page.goto(SOIT_URL + path);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "system");
    for (const colorScheme of ["light", "dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      assert.equal(await ground(page), GROUND[colorScheme], `${path} in ${colorScheme}`);
    }
  }
  await context.close();
});
