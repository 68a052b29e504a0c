// What the server says of its own record is checked in the browser, and does not pass when it is not as it was written.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, fillWorkspace, open, prefer, signIn, signInApi, workspaceOf } from "../session.mjs";

let browser;
let runs;

before(async () => {
  browser = await launchBrowser();
  runs = await fillWorkspace(await signInApi());
});
after(() => browser?.close());

/** Asks for the check and returns what it found. */
async function verified(page) {
  await page.locator("soit-verify button").click();
  const found = page.locator('soit-verify [data-testid="verified"]:not([data-tone="ask"])');
  await found.waitFor();
  return { tone: await found.getAttribute("data-tone"), text: await page.locator("soit-verify").innerText() };
}

test("the evidence of a run is verified in the browser, and a changed byte of it is found", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, `/runs/${runs.good}`);
  const sound = await verified(page);
  assert.equal(sound.tone, "allow", sound.text);
  assert.match(sound.text, /Merkle proofs: \d+/);
  assert.match(sound.text, /Signed checkpoints: [1-9]/);
  assert.match(sound.text, /key_[0-9a-f]{16}/);

  await page.route(/\/evidence\?/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.body();
    // A figure of the cost row: the file is not the one that was signed.
    const at = body.indexOf('"usage_basis"');
    body[at + 1] ^= 1;
    await route.fulfill({ response: answer, body });
  });
  const changed = await verified(page);
  assert.equal(changed.tone, "deny", changed.text);
  assert.match(changed.text, /costs\.jsonl/);
  await context.close();
});

test("a stretch of the hash chain is verified in the browser, and the first bad record is named", async () => {
  const context = await browser.newContext();
  const page = await signIn(context);
  await open(page, "/audit");
  const sound = await verified(page);
  assert.equal(sound.tone, "allow", sound.text);
  await page.locator('soit-verify input[name="from"]').fill("2");
  assert.equal((await verified(page)).tone, "allow");
  // From its first entry on it holds the first checkpoint, whenever the next one is due.
  await page.locator('soit-verify input[name="from"]').fill("1");

  let tamper = () => {};
  await page.route(/\/ui\/audit\/chain\?/, async (route) => {
    const answer = await route.fetch();
    const proof = await answer.json();
    tamper(proof);
    await route.fulfill({ response: answer, json: proof });
  });
  // Each changes one thing and returns the number that must be named.
  const cases = {
    record: ({ entries }) => {
      const audit = entries.find((one) => one.record);
      audit.record = audit.record.replace("{", '{"x":1,');
      return audit.seq;
    },
    hash: ({ entries }) => {
      entries[3].hash = "0".repeat(64);
      return entries[3].seq;
    },
    link: ({ entries }) => entries.splice(2, 1)[0].seq,
    // The first checkpoint may end behind the first page of a long chain.
    signature: ({ checkpoints }) => {
      if (checkpoints.length === 0) return undefined;
      checkpoints[0].signature = "00".repeat(64);
      return checkpoints[0].number;
    },
  };
  for (const [what, change] of Object.entries(cases)) {
    let named;
    tamper = (proof) => (named ??= change(proof));
    const found = await verified(page);
    assert.equal(found.tone, "deny", `${what}: ${found.text}`);
    assert.match(found.text, new RegExp(`#${named}\\b`), what);
  }
  await context.close();
});

test("without scripts the server's own check stays", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context);
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}/audit?verify=1`);
  assert.equal(await page.locator("soit-verify button").count(), 0);
  await page.locator('.chain [data-testid="notice"]').waitFor();
  await context.close();
});

test("the check speaks the reader's language", async () => {
  const context = await browser.newContext();
  await prefer(context, { theme: "light", lang: "zh-CN" });
  const page = await signIn(context);
  await open(page, "/audit");
  await page.locator("soit-verify button", { hasText: "在此浏览器中验证" }).waitFor();
  await context.close();
});
