// An identity provider for tests. Prints its port, then serves until stdin ends.
//
// Usage: oidc.mjs MODE. `real` is the package oidc-provider: whoever comes is signed in as who was said last. `scripted` says in its
// tokens whatever it was told, signed or not. Both take orders by `POST /control`, a JSON object; each answers JSON.

import { createRequire } from "node:module";
import { createHmac, constants, generateKeyPairSync, sign as signed } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../../../end2end/package.json", import.meta.url));
const SECRET = "secret-of-the-test-client";

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function answer(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

// The real one. A new instance takes the place of the one before whenever the client or the keys change.
async function real(issuer) {
  const { Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));
  const rsa = (kid) => ({ ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" });
  const told = { account: { sub: "ada" }, client: {}, keys: [rsa("first")] };
  const caught = [];
  let provider;
  const build = () => {
    const findAccount = (_, id) => ({ accountId: id, claims: () => ({ ...told.account, sub: id }) });
    provider = new Provider(issuer, {
      clients: [{
        client_id: "soit", client_secret: SECRET, grant_types: ["authorization_code"], response_types: ["code"],
        backchannel_logout_uri: `${issuer}/caught`, ...told.client,
      }],
      claims: { email: ["email", "email_verified"], openid: ["sub"], profile: ["name"], groups: ["groups"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["a cookie key of the test"] },
      features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: false } },
      // The package itself calls no address of this machine.
      fetch: (url, { dispatcher, ...options }) => fetch(url, options),
      findAccount,
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      jwks: { keys: told.keys },
      pkce: { required: () => true },
      ttl: { AuthorizationCode: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    });
  };
  const interact = async (request, response) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    let result = { login: { accountId: told.account.sub } };
    if (prompt.name === "consent") {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope);
      result = { consent: { grantId: await grant.save() } };
    }
    if (told.refuse) result = { error: "access_denied", error_description: "the person said no" };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
  const orders = {
    account: (account) => Object.assign(told, { account }),
    client: (client) => (Object.assign(told, { client }), build()),
    refuse: (refuse) => Object.assign(told, { refuse }),
    rotate: (kid) => (Object.assign(told, { keys: [rsa(kid)] }), build()),
    logout: async (sub) => (await provider.Client.find("soit")).backchannelLogout(sub),
    caught: () => caught.splice(0),
  };
  build();
  return async (request, response) => {
    if (request.url === "/control") {
      const [[order, value]] = Object.entries(JSON.parse(await body(request)));
      return answer(response, 200, (await orders[order](value)) ?? null);
    }
    if (request.url === "/caught") {
      caught.push(new URLSearchParams(await body(request)).get("logout_token"));
      return answer(response, 200, null);
    }
    if (request.url.startsWith("/interaction/")) return interact(request, response);
    return provider.callback()(request, response);
  };
}

// The scripted one: `{ "token": { "alg", "header", "claims" } }` is what the next code is traded for, `{ "down": true }` ends answers.
function scripted(issuer) {
  const pairs = {
    RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
    EdDSA: generateKeyPairSync("ed25519"),
  };
  pairs.PS256 = pairs.RS256;
  const keys = () => ["RS256", "ES256", "EdDSA"].map((kid) => ({ ...pairs[kid].publicKey.export({ format: "jwk" }), kid, use: "sig" }));
  const makers = {
    none: () => Buffer.alloc(0),
    HS256: (text) => createHmac("sha256", SECRET).update(text).digest(),
    RS256: (text) => signed("sha256", text, pairs.RS256.privateKey),
    PS256: (text) => signed("sha256", text, { key: pairs.RS256.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    ES256: (text) => signed("sha256", text, { key: pairs.ES256.privateKey, dsaEncoding: "ieee-p1363" }),
    EdDSA: (text) => signed(null, text, pairs.EdDSA.privateKey),
  };
  // A provider signs RS256 and PS256 by the same key here.
  const named = (alg) => (alg === "PS256" || alg === "HS256" ? "RS256" : alg);
  const issue = ({ alg, header, claims }) => {
    const text = `${encoded({ alg, kid: named(alg), ...header })}.${encoded(claims)}`;
    return `${text}.${makers[alg](Buffer.from(text)).toString("base64url")}`;
  };
  const told = { down: false, token: null, described: {}, trades: [] };
  const documents = {
    "/.well-known/openid-configuration": () => ({
      issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks`, ...told.described,
    }),
    "/jwks": () => ({ keys: keys() }),
  };
  return async (request, response) => {
    if (request.url === "/control") {
      const order = JSON.parse(await body(request));
      if (order.issue) return answer(response, 200, issue(order.issue));
      if (order.trades) return answer(response, 200, told.trades.splice(0));
      return answer(response, 200, Object.assign(told, order) && null);
    }
    if (told.down === "silent") return undefined;
    if (told.down) return answer(response, 503, { error: "down" });
    if (request.url === "/redirect") return response.writeHead(302, { location: `${issuer}/jwks` }).end();
    if (request.url === "/token") {
      told.trades.push({ authorization: request.headers.authorization, form: Object.fromEntries(new URLSearchParams(await body(request))) });
      if (!told.token) return answer(response, 400, { error: "invalid_grant" });
      const token = issue(told.token);
      told.token = null;
      return answer(response, 200, { access_token: "a", token_type: "Bearer", expires_in: 60, id_token: token });
    }
    const document = documents[request.url];
    return document ? answer(response, 200, document()) : answer(response, 404, {});
  };
}

const server = createServer((request, response) => {
  handler(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
let handler;
server.listen(0, "127.0.0.1", async () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  handler = process.argv[2] === "real" ? await real(issuer) : scripted(issuer);
  console.log(server.address().port);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
