// Live hints: one stream for all tabs of a browser, few paints however much happens, and nothing lost on the way.

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_API_URL, SOIT_URL, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let rest;
let key;

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
  key = (await rest("POST", "/api/v1/api-keys", { name: "Live", scopes: ["write"] })).api_key;
});
after(() => browser?.close());

/** One call of a model; returns the id of its run. */
async function call(model = "model:test:echo") {
  const answer = await fetch(`${SOIT_API_URL}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "live" }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.get("x-soit-run-id");
}

/** Asks until the answer is as it should be. */
async function until(ask, isSo) {
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
  }
}

/** Opens the runs list and waits until changes appear by themselves. */
async function openRuns(page, origin = SOIT_URL) {
  await page.goto(`${origin}/w/${workspaceOf(page)}/runs`);
  await inState(page, "live");
}

const inState = (page, state) => page.locator(`[data-testid="live"][data-state="${state}"]`).waitFor();
const isStream = (request) => new URL(request.url()).pathname === "/ui/events";
const rowsOf = (page) => page.getByTestId("run").locator(".row-link");
const rowOf = (page, run) => page.locator(`[data-testid="run"] .row-link[href*="${run}"]`);

/** Waits until a run is in the list, asking for the rows that wait; it is there once. */
async function sees(page, run) {
  const bar = page.getByTestId("new-rows");
  await rowOf(page, run).or(bar).first().waitFor();
  // The list may be loaded anew, and the bar go, between the two.
  if (!(await rowOf(page, run).count())) await bar.click({ timeout: 1000 }).catch(() => {});
  await rowOf(page, run).first().waitFor();
  assert.equal(await rowOf(page, run).count(), 1, run);
}

/** The newest runs, as the list has them and as the API has them. */
async function assertComplete(page) {
  const { items } = await rest("GET", "/api/v1/runs?limit=50");
  const hrefs = await rowsOf(page).evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const shown = hrefs.map((href) => href.split("/").at(-1));
  assert.deepEqual(shown, items.map(({ id }) => id).slice(0, shown.length));
  assert.ok(shown.length >= Math.min(items.length, 24), `${shown.length} rows`);
}

/** Counts in `paints` how often something is drawn anew from now on. */
async function countPaints(page, selector, changes) {
  await page.evaluate(
    ([selector, changes]) => {
      window.paints = 0;
      let isDue = false;
      const paint = () => {
        isDue = false;
        window.paints += 1;
      };
      const observer = new MutationObserver(() => {
        if (!isDue) requestAnimationFrame(paint);
        isDue = true;
      });
      for (const element of document.querySelectorAll(selector)) observer.observe(element, changes);
    },
    [selector, changes],
  );
}

/** Makes a page believe that it is hidden, or visible again. */
async function turn(page, visibility) {
  await page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, visibility);
}

/** A way to the console that can be cut. */
async function openWay() {
  const { hostname, port } = new URL(SOIT_URL);
  const sockets = new Set();
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) return near.destroy();
    const far = net.connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]]) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => sockets.delete(one) && other.destroy());
    }
  });
  await new Promise((listening) => server.listen(0, "localhost", listening));
  // A test that fails on the way must not keep the file from ending.
  server.unref();
  return {
    origin: `http://localhost:${server.address().port}`,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => (isCut = false),
    close: () => new Promise((closed) => server.close(closed)),
  };
}

test("eight tabs of a browser read one stream, and each shows what happens once", async () => {
  const context = await browser.newContext();
  const first = await signIn(context);
  await openRuns(first);
  const streams = [];
  context.on("request", (request) => isStream(request) && streams.push(request));
  const tabs = [first];
  while (tabs.length < 8) {
    const tab = await context.newPage();
    await tab.goto(first.url());
    await inState(tab, "live");
    tabs.push(tab);
  }
  assert.equal(streams.length, 0, "the first tab reads for the others");
  const run = await call();
  for (const tab of tabs) await sees(tab, run);

  const nextReader = () => context.waitForEvent("request", isStream).then((request) => request.frame().page());
  const second = nextReader();
  await tabs.shift().close();
  const between = await call();
  const reader = await second;
  assert.ok(tabs.includes(reader));
  for (const tab of tabs) await sees(tab, between);

  const third = nextReader();
  await turn(reader, "hidden");
  await inState(reader, "paused");
  assert.notEqual(await third, reader);
  const unseen = await call();
  await turn(reader, "visible");
  await inState(reader, "live");
  for (const tab of tabs) {
    await inState(tab, "live");
    await sees(tab, unseen);
    await assertComplete(tab);
  }
  assert.equal(streams.length, 2, "one for each reader that left");
  await context.close();
});

test("a thousand runs in ten seconds are a few paints, and none is lost", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await openRuns(page);
  await countPaints(page, "main", { subtree: true, childList: true, characterData: true, attributes: true });
  // Where the stream falls behind it says so, and the list is loaded anew; everything else is counted one by one.
  const renewed = page.waitForRequest(/\/ui\/fn\/list_runs/, { timeout: 0 }).catch(() => {});
  const count = 1000;
  const begun = Date.now();
  const calls = Array.from({ length: count }, async (_, index) => {
    await new Promise((due) => setTimeout(due, index * (10_000 / count)));
    return call();
  });
  const last = (await Promise.all(calls)).sort().at(-1);
  await Promise.race([page.getByTestId("new-rows").filter({ hasText: "1,000 new" }).waitFor(), renewed]);
  const seconds = (Date.now() - begun) / 1000;
  const paints = await page.evaluate(() => window.paints);
  assert.ok(seconds < 20, `the server took ${seconds} s`);
  assert.ok(paints > 5 && paints <= 4.5 * seconds, `${paints} paints in ${seconds} s`);
  await sees(page, last);
  await assertComplete(page);
  await context.close();
});

test("runs that end together are drawn together", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const calls = Array.from({ length: 20 }, () => call("model:test:slow-8000"));
  const begun = async () => (await rest("GET", "/api/v1/runs?status=running&limit=50")).items.length;
  while ((await begun()) < calls.length);
  // The many runs of before may have the list loaded anew once.
  await Promise.all([page.waitForResponse(/list_changed/), openRuns(page)]);
  await page.waitForTimeout(1500);
  const running = page.locator('[data-testid="run"][data-state="running"]');
  assert.equal(await running.count(), calls.length);
  await countPaints(page, '[data-testid="run"]', { attributeFilter: ["data-state"] });
  await Promise.all(calls);
  await running.first().waitFor({ state: "detached" });
  const paints = await page.evaluate(() => window.paints);
  assert.ok(paints >= 1 && paints <= 8, `${paints} paints`);
  await context.close();
});

test("what happens between a page's reading and its stream's opening is not missed", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  const gates = [];
  const hold = (tab) =>
    new Promise((held) => {
      tab.route("**/ui/events?*", async (route) => {
        await new Promise((opened) => {
          gates.push(opened);
          held();
        });
        await route.continue();
      });
    });
  const states = (tab, run) => tab.locator(`[data-testid="run"]:has([href*="${run}"])`).getAttribute("data-state");
  // The tab that reads the stream, and one that only hears of it from that one.
  for (const reads of [true, false]) {
    const tab = reads ? page : await context.newPage();
    const ended = call("model:test:slow-3000");
    const { items: [{ id }] } = await until(() => rest("GET", "/api/v1/runs?status=running&limit=1"), ({ items }) => items.length);
    if (reads) {
      const held = hold(tab);
      await tab.goto(`${SOIT_URL}/w/${workspaceOf(page)}/runs`);
      await held;
    } else {
      // Scripts come late.
      await tab.route("**/*.wasm", async (route) => {
        await ended;
        await route.continue();
      });
      await tab.goto(`${SOIT_URL}/w/${workspaceOf(page)}/runs`, { waitUntil: "commit" });
      await rowOf(tab, id).first().waitFor();
    }
    assert.equal(await states(tab, id), "running");
    assert.equal(await ended, id);
    gates.splice(0).forEach((open) => open());
    await tab.locator(`[data-testid="run"][data-state="succeeded"]:has([href*="${id}"])`).waitFor({ timeout: 5000 });
  }
  await context.close();
});

test("a stream that is cut says so, and afterwards nothing is missing or there twice", async () => {
  const way = await openWay();
  const context = await browser.newContext();
  const page = await signIn(context);
  await openRuns(page, way.origin);
  const waiting = await call();
  await page.getByTestId("new-rows").waitFor();
  way.cut();
  await inState(page, "reconnecting");
  const unheard = await call();
  way.mend();
  await inState(page, "live");
  for (const run of [waiting, unheard]) await sees(page, run);
  await assertComplete(page);
  const heard = await call();
  await sees(page, heard);
  await assertComplete(page);
  await context.close();
  await way.close();
});
