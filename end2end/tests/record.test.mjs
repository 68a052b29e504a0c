// What is left of a run: two beside each other, and evidence that anybody can check.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { soit } from "../server.mjs";
import { SOIT_API_URL, SOIT_URL, fillWorkspace, open, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

for (const scripts of [true, false]) {
  test(`two ticked runs lead to their comparison, ${scripts ? "with" : "without"} scripts`, async () => {
    const context = await browser.newContext({ javaScriptEnabled: scripts });
    const page = await signIn(context);
    const path = `/runs?f.key=${runs.keyId}`;
    await (scripts ? open(page, path) : page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`));
    const tick = (id) => page.locator("tr", { has: page.locator(`a[href*="${id}"]`) }).locator("input[type=checkbox]").check();
    await tick(runs.good);
    await tick(runs.bad);
    await page.getByTestId("compare").click();
    await page.waitForURL(/\/runs\/compare\?/);
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("a"), searchParams.get("b")].toSorted(), [runs.good, runs.bad].toSorted());
    await page.getByTestId("compared-runs").waitFor();
    const steps = page.getByTestId("compared-step");
    assert.ok((await steps.count()) >= 1);
    assert.match(await page.getByTestId("compared-runs").innerText(), /model:test:echo[\s\S]*model:test:error-500/);
    await context.close();
  });
}

test("the evidence of a run is downloaded, and `soit verify` finds it whole, and not once some of it was altered", async () => {
  const context = await browser.newContext({ acceptDownloads: true });
  const page = await signIn(context);
  await open(page, `/runs/${runs.good}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("evidence").click()]);
  assert.match(download.suggestedFilename(), /\.zip$/);
  const folder = await mkdtemp(join(tmpdir(), "soit-evidence-"));
  try {
    const [file, keys] = [join(folder, "run.zip"), join(folder, "keys.json")];
    await download.saveAs(file);
    await writeFile(keys, await (await fetch(`${SOIT_API_URL}/.well-known/soit-keys.json`)).text());
    const { stdout } = await soit("verify", file, "--key", keys);
    assert.match(stdout, new RegExp(`^valid: ${runs.good},`));

    const bytes = await readFile(file);
    // More than the head of a file inside.
    for (let place = bytes.length >> 1; place < (bytes.length >> 1) + 64; place += 1) bytes[place] ^= 1;
    await writeFile(file, bytes);
    const refused = await soit("verify", file, "--key", keys).catch((error) => error);
    assert.ok([1, 2].includes(refused.code), `${refused.code}: ${refused.stdout}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await context.close();
  }
});
