// A headless browser for one test file: the system's Chromium, with an empty profile and no traffic of its own.

import { chromium } from "playwright-core";

/** Opens a browser that the caller closes. */
export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
