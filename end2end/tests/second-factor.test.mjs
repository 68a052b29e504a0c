// A second factor: set up with its QR code, asked for at the next sign-in, and what helps where the app is not at hand.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";

import { launchBrowser } from "../browser.mjs";
import { SOIT_URL, signIn, signInApi } from "../session.mjs";

const PASSWORD = "plum violin harbour 71";
const PERIOD = 30_000;

let browser;
let rest;

before(async () => {
  browser = await launchBrowser();
  rest = await signInApi();
});
after(() => browser?.close());

/** The code an authenticator app shows for a seed in base32, some steps from now. */
function codeOf(seed, steps = 0) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...seed].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / PERIOD) + steps));
  const hash = createHmac("sha1", key).update(counter).digest();
  const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Somebody with an account of their own: invited, and joined. */
async function join(email) {
  const { workspaces } = await rest("GET", "/api/v1/me");
  const { link } = await rest("POST", `/api/v1/workspaces/${workspaces[0].id}/invitations`, { email, role: "viewer" });
  const [, token] = link.split("#");
  await rest("POST", "/api/v1/invitations/accept", { token, name: "Ada", password: PASSWORD }, { authorization: "" });
}

/** The first step of signing in. */
async function enter(context, email) {
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("form button[type=submit]").first().click();
  return page;
}

for (const scripts of [true, false]) {
  test(`a second factor is set up and asked for, ${scripts ? "with" : "without"} scripts`, async () => {
    const email = `factor-${scripts}-${process.pid}@example.com`;
    await join(email);
    const context = await browser.newContext({ javaScriptEnabled: scripts });
    const page = await enter(context, email);
    await page.waitForURL(/\/w\//);
    await page.goto(`${SOIT_URL}/w/default/settings/profile`);
    await page.getByTestId("second-factor").locator("a").click();
    await page.waitForURL(/\/second-factor/);
    await page.getByTestId("set_up").click();
    await page.getByTestId("qr").waitFor();
    const seed = (await page.getByTestId("secret").innerText()).trim();
    assert.equal(seed.length, 32);
    await page.locator("#code").fill(codeOf(seed));
    await page.getByTestId("confirm").click();
    const codes = (await page.getByTestId("codes").innerText()).trim().split(/\s+/);
    assert.equal(codes.length, 10);
    assert.ok(!page.url().includes(seed));
    await page.getByTestId("continue").click();
    await page.waitForURL(/\/settings\/profile/);
    await context.close();

    // A fresh browser is asked for a code; a wrong one is told so, the next one lets in.
    const other = await browser.newContext({ javaScriptEnabled: scripts });
    const gate = await enter(other, email);
    await gate.waitForURL(/\/mfa/);
    await gate.locator("#code").fill("000000");
    await gate.getByTestId("submit").click();
    await gate.getByTestId("form-summary").waitFor();
    assert.equal(await gate.getByTestId("form-summary").getAttribute("data-code"), "invalid_code");
    await gate.locator("#code").fill(codeOf(seed, 1));
    await gate.getByTestId("submit").click();
    await gate.waitForURL(/\/w\//);
    await other.close();

    // Without the app a recovery code does, once.
    const last = await browser.newContext({ javaScriptEnabled: scripts });
    const lost = await enter(last, email);
    await lost.waitForURL(/\/mfa/);
    await lost.locator("#code").fill(codes[0]);
    await lost.getByTestId("submit").click();
    await lost.waitForURL(/\/w\//);
    await last.close();
  });
}

test("the page of the second factor says where it stands", async () => {
  const page = await signIn(await browser.newContext());
  await page.goto(`${SOIT_URL}/second-factor`);
  await page.getByTestId("state").waitFor();
  assert.equal(await page.getByTestId("state").getAttribute("data-state"), "off");
  await page.context().close();
});
