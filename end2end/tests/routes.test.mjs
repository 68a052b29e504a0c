// Every route × light and dark × both languages: hydrated, silent, accessible, and alive. Every route at three widths:
// no sideways scroll. Screenshots of all of them are kept for the reviewer.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, fillWorkspace, prefer, routes, signIn, signInApi } from "../session.mjs";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = `${process.env.E2E_OUTPUT ?? "/tmp"}/screenshots`;
let browser;
let runs;

before(async () => {
  await mkdir(pictures, { recursive: true });
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

function watch(page) {
  const noise = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) noise.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => noise.push(`page error: ${error}`));
  page.on("requestfailed", (request) => {
    // An event stream that ends because the page is left is no failure.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") noise.push(`failed: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) noise.push(`${response.status()}: ${response.url()}`);
  });
  return noise;
}

async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
  );
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

/**
 * One click on a real control changes the page and loads nothing anew: the marker alone would also stand on a page whose
 * handlers are dead. What lies over a page is closed, from others the rail leads away, or where there is none a tab or a place.
 */
async function alive(page) {
  const away = page.url().includes("/settings") ? "/runs" : "/settings";
  const close = page.locator('a[data-shortcut="Esc"]:visible');
  const rail = page.locator(`#rail a[href*="${away}"]`);
  const other = page.locator('main .tabs a:not([aria-current]):visible, main a[href^="/w/"]:visible');
  const control = (await close.count()) > 0 ? close.first() : ((await rail.count()) > 0 ? rail : other).first();
  const before = page.url();
  await page.evaluate(() => {
    window.isStillHere = true;
  });
  await control.click();
  await page.waitForURL((url) => url.href !== before);
  assert.equal(await page.evaluate(() => window.isStillHere), true, "the page was loaded anew");
}

for (const theme of ["light", "dark"]) {
  for (const lang of ["en", "zh-CN"]) {
    test(`every route in ${theme}, ${lang}`, async (t) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      await prefer(context, { theme, lang });
      const page = await signIn(context);
      const workspace = new URL(page.url()).pathname.split("/")[2];
      const noise = watch(page);
      for (const route of routes(workspace, runs)) {
        await t.test(route, async () => {
          noise.length = 0;
          const answer = await page.goto(SOIT_URL + route, { waitUntil: "load" });
          assert.equal(answer.status(), 200);
          await page.locator("html[data-hydrated]").waitFor({ timeout: 20_000 });
          assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
          assert.equal(await page.locator("html").getAttribute("lang"), lang);
          assert.equal(await page.locator("main h1").count(), 1);
          assert.deepEqual(noise, []);
          assert.deepEqual(await axe(page), []);
          const name = `${theme}-${lang}-1280-${route.replace(/[^a-z0-9]+/gi, "_").replace(/run_[0-9a-z]{26}/g, "run")}`;
          await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
          // The kit shows controls and leads nowhere.
          if (route !== "/ui/kit") await alive(page);
        });
      }
      await context.close();
    });
  }
}

for (const width of [360, 768, 1280]) {
  test(`no route scrolls sideways at ${width} px`, async (t) => {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await signIn(context);
    const workspace = new URL(page.url()).pathname.split("/")[2];
    for (const route of routes(workspace, runs)) {
      await t.test(route, async () => {
        await page.goto(SOIT_URL + route, { waitUntil: "load" });
        await page.locator("html[data-hydrated]").waitFor();
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        const name = `light-en-${width}-${route.replace(/[^a-z0-9]+/gi, "_").replace(/run_[0-9a-z]{26}/g, "run")}`;
        await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
        assert.ok(wider <= 0, `${wider} px wider than the window`);
      });
    }
    await context.close();
  });
}

/** Every route in one window, awake; `look` says what is wrong with it. */
function everyRoute(name, options, media, look) {
  test(name, async (t) => {
    const context = await browser.newContext(options);
    const page = await signIn(context);
    await page.emulateMedia(media);
    const workspace = new URL(page.url()).pathname.split("/")[2];
    for (const route of routes(workspace, runs)) {
      await t.test(route, async () => {
        await page.goto(SOIT_URL + route, { waitUntil: "load" });
        await page.locator("html[data-hydrated]").waitFor();
        assert.deepEqual(await page.evaluate(look), []);
      });
    }
    await context.close();
  });
}

// A window of 1280 × 900 at 200 % has half as many CSS pixels.
everyRoute("at 200 % zoom no control is cut off", { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, {}, () => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".sr-only, .skip-link");
  const scrolls = (element) => {
    for (let parent = element.parentElement; parent; parent = parent.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(parent).overflowX)) return true;
    }
    return false;
  };
  const edge = document.documentElement.clientWidth;
  return [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((control) => isShown(control) && !scrolls(control))
    .filter((control) => {
      const { left, right } = control.getBoundingClientRect();
      return left < -1 || right > edge + 1;
    })
    .map((control) => control.outerHTML.slice(0, 120));
});

everyRoute("forced colours leave every button an edge", { viewport: { width: 1280, height: 900 } }, { forcedColors: "active" }, () =>
  [...document.querySelectorAll(".btn:not(.btn--quiet), .input, .select > select")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => parseFloat(getComputedStyle(control).borderTopWidth) === 0)
    .map((control) => control.outerHTML.slice(0, 120)),
);

everyRoute("no route moves while it loads", { viewport: { width: 1280, height: 900 } }, {}, async () => {
  let shift = 0;
  const moved = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      shift += entry.value;
      moved.push(...entry.sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120)));
    }
  }).observe({ type: "layout-shift", buffered: true });
  await document.fonts.ready;
  // Two frames: what has shifted by then was told.
  await new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)));
  return shift <= 0.05 ? [] : [`${shift.toFixed(3)}`, ...moved];
});
