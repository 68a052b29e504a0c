// A soit of a story's own, with other settings than the one all share, and a mail server that tells what it took.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const SMTP = fileURLToPath(new URL("../server/tests/it/util/smtp.py", import.meta.url));
/** How often it is asked whether it is ready: each time waits for an answer. */
const TRIES = 600;

/** Runs a command of soit; what it printed, or a failure with its exit code. */
export const soit = (...args) => run(process.env.SOIT_BIN, args, { env: {} });

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function stopped(child) {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, "exit");
}

/** Starts a soit in an empty folder; `url` is its console, `stop` ends it. */
export async function startSoit(settings) {
  const data = await mkdtemp(join(tmpdir(), "soit-story-"));
  const [console, api] = [await freePort(), await freePort()];
  const url = `http://localhost:${console}`;
  const child = spawn(process.env.SOIT_BIN, ["serve"], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: data,
      SITE_DIR: process.env.SOIT_SITE,
      ENVIRONMENT: "test",
      PUBLIC_URL: url,
      LISTEN_CONSOLE: `127.0.0.1:${console}`,
      LISTEN_API: `127.0.0.1:${api}`,
      ...settings,
    },
  });
  const stop = async () => {
    await stopped(child);
    await rm(data, { recursive: true, force: true });
  };
  for (let tries = 1; ; tries += 1) {
    const answer = await soit("health", "--ready", "--url", `http://127.0.0.1:${api}`).catch((error) => error);
    if (!(answer instanceof Error)) return { url, stop };
    if (tries === TRIES || child.exitCode !== null) {
      await stop();
      assert.fail(`it did not become ready: ${answer.stderr}`);
    }
  }
}

/** Starts a mail server; `mail` waits for the next one it takes. */
export async function startMail() {
  const folder = await mkdtemp(join(tmpdir(), "soit-mail-"));
  const child = spawn("python3", [SMTP, "plain", "0", folder], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: port } = await lines.next();
  const stop = async () => {
    await stopped(child);
    await rm(folder, { recursive: true, force: true });
  };
  return { port, mail: async () => JSON.parse((await lines.next()).value), stop };
}
