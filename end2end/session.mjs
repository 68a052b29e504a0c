// A signed-in browser page, and the API calls that give it something to show.

import assert from "node:assert/strict";

export const { SOIT_URL, SOIT_API_URL } = process.env;
export const ADMIN = { email: "admin@example.com", password: "changeme123" };

/** A REST caller with a fresh proof of identity. */
export async function signInApi() {
  const rest = async (method, path, body, headers = {}) => {
    const answer = await fetch(SOIT_API_URL + path, {
      method,
      headers: { "content-type": "application/json", ...(rest.token && { authorization: `Bearer ${rest.token}` }), ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  rest.token = (await rest("POST", "/api/v1/login", ADMIN)).access_token;
  await rest("POST", "/api/v1/me/step-up", { password: ADMIN.password });
  return rest;
}

/** Runs of every outcome, a price, a budget, a provider and a key; returns the ids of what was made. */
export async function fillWorkspace(rest) {
  const price = { match_ref: "model:test:*", currency: "USD", rates: { input: "0.15", output: "0.6" } };
  await rest("POST", "/api/v1/modelhub/prices", price);
  const budget = { name: "Team month", scope_kind: "workspace", period: "month", currency: "USD", amount: "5", hard_stop: true };
  const { id: budgetId } = await rest("POST", "/api/v1/billing/budgets", budget);
  const slug = `local-${process.pid}`;
  const account = { kind: "openai_compatible", name: "Local server", slug, base_url: "http://127.0.0.1:9/v1" };
  const { id: provider } = await rest("POST", "/api/v1/modelhub/providers", account);
  await rest("POST", `/api/v1/modelhub/providers/${provider}/models`, { model_id: "llama-3-70b", context_window: 131072 });
  const { api_key: key, item } = await rest("POST", "/api/v1/api-keys", { name: "Browser stories", scopes: ["write"] });
  const call = async (model, content, stream = false) => {
    const answer = await fetch(`${SOIT_API_URL}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, stream, messages: [{ role: "user", content }] }),
    });
    await answer.text();
    return answer.headers.get("x-soit-run-id");
  };
  const good = await call("model:test:echo", "What did we agree with <b>Bob</b> & عميل?");
  await call("model:test:tokens-40", "Summarise the ledger.", true);
  const bad = await call("model:test:error-500", "This one fails.");
  await call("gpt-nope", "This one is refused.");
  return { good, bad, key, keyId: item.id, budget: budgetId, provider };
}

/** Signs a browser context in through the form. */
export async function signIn(context) {
  const page = await context.newPage();
  await page.goto(`${SOIT_URL}/sign-in`);
  await page.getByRole("textbox", { name: /e-?mail|邮箱/i }).fill(ADMIN.email);
  await page.locator("input[type=password]").fill(ADMIN.password);
  await Promise.all([page.waitForURL(/\/w\//), page.locator("form button[type=submit]").first().click()]);
  return page;
}

/** The slug of the workspace a page shows. */
export const workspaceOf = (page) => new URL(page.url()).pathname.split("/")[2];

/** Opens an address of the page's workspace and waits until it is awake. */
export async function open(page, path) {
  await page.goto(`${SOIT_URL}/w/${workspaceOf(page)}${path}`);
  await page.locator("html[data-hydrated]").waitFor();
}

/** Proves who one is where an action asks for it, and does it again: for pages without scripts. */
export async function proven(page, act) {
  await act();
  const password = page.getByTestId("step-up").locator("input[type=password]");
  await page.waitForLoadState();
  if ((await password.count()) === 0) return;
  await password.fill(ADMIN.password);
  await page.getByTestId("step-up").getByTestId("submit").click();
  await page.getByTestId("step-up").waitFor({ state: "detached" });
  await act();
}

/** Sets theme and language as the console's own cookie does. */
export async function prefer(context, { theme, lang }) {
  await context.addCookies([{ name: "soit_prefs", value: `theme=${theme}&lang=${lang}`, url: SOIT_URL }]);
}

/** Every route of the console, signed in. */
export function routes(workspace, { good, bad, keyId, budget, provider }) {
  const base = `/w/${workspace}`;
  const views = ["tree", "timeline", "graph", "log"];
  return [
    base,
    `${base}/runs`,
    `${base}/runs?f.status=failed&peek=${bad}`,
    `${base}/runs?f.status=failed&save=1`,
    ...["cancel", "export"].map((ask) => `${base}/runs?pick=${good},${bad}&ask=${ask}`),
    ...views.map((view) => `${base}/runs/${good}?view=${view}`),
    `${base}/runs/${bad}`,
    `${base}/runs/${good}/replay`,
    `${base}/runs/compare?a=${good}&b=${bad}`,
    ...["", "?tab=dead", "?tab=consumers"].map((view) => `${base}/events${view}`),
    `${base}/tasks`,
    `${base}/audit`,
    `${base}/audit/1`,
    `${base}/keys`,
    ...["peek", "rotate", "revoke"].map((drawer) => `${base}/keys?${drawer}=${keyId}`),
    `${base}/keys?tab=budgets`,
    `${base}/keys/new`,
    `${base}/access`,
    `${base}/access?tab=invitations`,
    `${base}/access/new`,
    ...["principals", "groups", "grants"].flatMap((tab) => [`${base}/access/${tab}`, `${base}/access/${tab}/new`]),
    `${base}/budgets/new`,
    `${base}/budgets/${budget}`,
    `${base}/models`,
    `${base}/models?tab=prices`,
    `${base}/models?tab=egress`,
    `${base}/models/new`,
    `${base}/models/${provider}`,
    ...["profile", "sessions", "appearance", "workspace", "retention", "about"].map((section) => `${base}/settings/${section}`),
    "/?choose=1",
    ...["workspaces", "members", "ceilings", "sso", "audit", "usage"].map((section) => `/t/default/${section}`),
    ...["members?add=1", "ceilings?edit=1", "ceilings?delete=1"].map((form) => `/t/default/${form}`),
    ...["tenants", "users", "diagnostics"].map((section) => `/operator/${section}`),
    "/ui/kit",
  ];
}
