// Verifies evidence of a run, or a stretch of the hash chain, in the reader's browser: what the server answers is held against
// hashes, Merkle paths and signatures here, so that nobody has to take its word. Loaded by the two pages that offer it.
//
// A page says `<soit-verify data-kind data-href data-words>`; the words are in the order of WORDS.
const WORDS = [
  "verify", "checking", "sound", "broken", "unsupported", "unreadable", "from", "to",
  "keys", "signature", "files", "entries", "proofs", "checkpoints", "records", "unsigned",
];
const KEYS = "/.well-known/soit-keys.json";
const ZERO = "0".repeat(64);
const text = new TextEncoder();

/** What was checked, and how many of each; a check that fails says where. */
class Broken extends Error {
  constructor(check, where) {
    super(where);
    this.check = check;
  }
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (digits) => {
  if (!/^([0-9a-f]{2})*$/.test(digits)) throw new Error("no hex");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
};
const joined = (...parts) => {
  const all = parts.map((part) => (typeof part === "string" ? text.encode(part) : part));
  const bytes = new Uint8Array(all.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};
const sha256 = async (...parts) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts))));

const uint = (number, size) => {
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer)[size === 8 ? "setBigUint64" : "setUint32"](0, size === 8 ? BigInt(number) : number);
  return bytes;
};
const sized = (word) => joined(uint(text.encode(word).length, 4), word);

/** The hash an entry must have. */
export const entryHash = ({ seq, kind, subject_id, subject_digest, prev_hash }) =>
  sha256("soit/chain/1", uint(seq, 8), sized(kind), sized(subject_id), bytesOf(subject_digest), bytesOf(prev_hash));

const leaf = (hash) => sha256(Uint8Array.of(0), bytesOf(hash));
const node = (left, right) => sha256(Uint8Array.of(1), bytesOf(left), bytesOf(right));

/** The RFC 6962 root over entry hashes. */
export const merkleRoot = async (hashes) => {
  if (hashes.length === 1) return leaf(hashes[0]);
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return node(await merkleRoot(hashes.slice(0, split)), await merkleRoot(hashes.slice(split)));
};

/** Whether a path leads from an entry at a place of so many to the root. */
export const includes = async (root, size, index, hash, path) => {
  if (index < 0 || index >= size) return false;
  let [place, last, here] = [index, size - 1, await leaf(hash)];
  for (const sibling of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      here = await node(sibling, here);
      while (place % 2 === 0 && place !== 0) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    } else {
      here = await node(here, sibling);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && here === root;
};

const signedBy = async (key, signature, bytes) => {
  const imported = await crypto.subtle.importKey("raw", bytesOf(key), { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, bytesOf(signature), bytes);
};

/** What is signed of a checkpoint: RFC 8785, whose order of names this is. */
const body = (checkpoint, tenant_id, workspace_id) => {
  const { first_seq, head, key_id, last_seq, number, previous, root, sealed_at } = checkpoint;
  const form = "soit/checkpoint/1";
  const signed = { first_seq, form, head, key_id, last_seq, number, previous, root, sealed_at, tenant_id, workspace_id };
  return text.encode(JSON.stringify(signed));
};

/** The public keys that everybody may read, by name. The name follows from the key. */
const readKeys = async () => {
  const answer = await fetch(KEYS, { cache: "no-store" });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const keys = new Map();
  for (const { public_key: key } of (await answer.json()).keys) {
    keys.set(`key_${(await sha256(bytesOf(key))).slice(0, 16)}`, key);
  }
  return keys;
};

const checkCheckpoint = async (checkpoint, place, keys) => {
  const key = keys.get(checkpoint.key_id);
  const good = key && (await signedBy(key, checkpoint.signature, body(checkpoint, place.tenant_id, place.workspace_id)));
  if (!good) throw new Broken("checkpoints", `#${checkpoint.number}`);
};

const checkEntry = async (entry) => {
  const parts = entry.parts ?? null;
  const digest = parts === null ? entry.subject_digest : await sha256(parts);
  if (digest !== entry.subject_digest || (await entryHash(entry)) !== entry.hash) {
    throw new Broken("entries", `#${entry.seq} ${entry.subject_id}`);
  }
};

/** The files of a zip whose files are stored as they are. */
export const unzip = (buffer) => {
  const view = new DataView(buffer);
  const files = new Map();
  let end = buffer.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error("no zip");
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [method, size, name] = [view.getUint16(at + 10, true), view.getUint32(at + 24, true), view.getUint16(at + 28, true)];
    const local = view.getUint32(at + 42, true);
    if (view.getUint32(at, true) !== 0x02014b50 || method !== 0) throw new Error("no zip of soit");
    const named = new TextDecoder().decode(new Uint8Array(buffer, at + 46, name));
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (files.has(named)) throw new Broken("files", named);
    files.set(named, new Uint8Array(buffer, start, size));
    at += 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return files;
};

/** The bytes of `record` in a line, as they are: numbers are not read and written again. It is the last member. */
export const recordOf = (line) => {
  let [depth, inText] = [0, false];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (inText) {
      if (letter === "\\") at += 1;
      else if (letter === '"') inText = false;
    } else if (letter === '"') {
      if (depth === 1 && line.startsWith('"record":', at)) return line.slice(at + 9, -1);
      inText = true;
    } else if (letter === "{" || letter === "[") depth += 1;
    else if (letter === "}" || letter === "]") depth -= 1;
  }
  throw new Error("no record");
};

const lines = (bytes) => new TextDecoder().decode(bytes).split("\n").slice(0, -1);

/** Records of a file by id: the hash of each, and the texts beside it. */
const records = async (bytes) => {
  const found = new Map();
  for (const line of lines(bytes)) {
    const { record, content = {} } = JSON.parse(line);
    found.set(record.id, { hash: await sha256(recordOf(line)), content });
  }
  return found;
};

const checkParts = async (parts, files, hasTexts) => {
  const wanted = [[new Map([[parts.run_id, parts.run]]), "run.json"]];
  wanted.push([new Map(Object.entries(parts.steps)), "steps.jsonl"], [new Map(Object.entries(parts.costs)), "costs.jsonl"]);
  const lacking = new Set(hasTexts ? Object.keys(parts.content) : []);
  let count = 0;
  for (const [then, name] of wanted) {
    const now = await records(files.get(name));
    for (const id of new Set([...then.keys(), ...now.keys()])) {
      if (then.get(id) !== now.get(id)?.hash) throw new Broken("records", `${name} ${id}`);
      for (const [field, shown] of Object.entries(now.get(id).content)) {
        const place = `${id}.${field}`;
        if ((await sha256(bytesOf(shown.salt), shown.text)) !== parts.content[place]) throw new Broken("records", place);
        lacking.delete(place);
      }
      count += 1;
    }
  }
  for (const place of lacking) throw new Broken("records", place);
  return count;
};

/** Whether an entry is a purge that took the content of the run of an earlier one. */
const tookContent = ({ seq, kind, parts }, of) => {
  if (kind !== "purge" || seq <= of) return false;
  const purge = JSON.parse(parts);
  return purge.class === "content" && purge.entries.some(([first, last]) => first <= of && of <= last);
};

/** Checks the evidence of a run. */
export const verifyEvidence = async (buffer, keys) => {
  const files = unzip(buffer);
  const read = (name) => JSON.parse(new TextDecoder().decode(files.get(name) ?? new Uint8Array()));
  const [signature, manifestBytes] = [read("signature.json"), files.get("manifest.json") ?? new Uint8Array()];
  const signer = keys.get(signature.key_id);
  if (!signer || !(await signedBy(signer, signature.signature, manifestBytes))) throw new Broken("signature", signature.key_id);
  const manifest = read("manifest.json");
  const names = Object.keys(manifest.files);
  for (const name of names) {
    const bytes = files.get(name);
    if (!bytes || (await sha256(bytes)) !== manifest.files[name].sha256) throw new Broken("files", name);
  }
  const others = ["manifest.json", "signature.json", "SHA256SUMS"];
  const extra = [...files.keys()].find((name) => !names.includes(name) && !others.includes(name));
  if (extra) throw new Broken("files", extra);
  const chain = read("chain.json");
  if (chain.tenant_id !== manifest.tenant_id || chain.workspace_id !== manifest.workspace_id) throw new Broken("proofs", "chain.json");
  for (const checkpoint of chain.checkpoints) await checkCheckpoint(checkpoint, chain, keys);
  for (const entry of chain.entries) {
    await checkEntry(entry);
    const sealed = chain.checkpoints.find(({ number }) => number === entry.checkpoint);
    const size = sealed && sealed.last_seq - sealed.first_seq + 1;
    if (!sealed || !(await includes(sealed.root, size, entry.seq - sealed.first_seq, entry.hash, entry.path))) {
      throw new Broken("proofs", `#${entry.seq} ${entry.subject_id}`);
    }
  }
  const own = chain.entries.find(({ seq, kind }) => seq === manifest.entry_seq && kind === "run");
  const parts = own?.parts && JSON.parse(own.parts);
  if (parts?.run_id !== manifest.run_id) throw new Broken("proofs", manifest.run_id);
  // Of bundles of the first form it is not told what a purge took.
  const isTold = manifest.form !== "soit/evidence/1" && manifest.content !== "withheld";
  const hasTexts = isTold && !chain.entries.some((entry) => tookContent(entry, own.seq));
  let count = await checkParts(parts, files, hasTexts);
  const audit = await records(files.get("audit.jsonl"));
  for (const { kind, subject_id, subject_digest } of chain.entries) {
    if (kind === "audit" && audit.get(subject_id)?.hash !== subject_digest) throw new Broken("records", subject_id);
    audit.delete(subject_id);
    count += kind === "audit";
  }
  for (const id of audit.keys()) throw new Broken("records", id);
  const [entries, checkpoints] = [chain.entries.length, chain.checkpoints.length];
  return { signature: 1, files: names.length, entries, proofs: entries, checkpoints, records: count };
};

/** Checks a stretch of a chain that is read page by page. */
export const verifyChain = async (pages, from, keys) => {
  const done = { entries: 0, records: 0, checkpoints: 0, unsigned: 0 };
  let [next, previous, hashes, last, sealedTo] = [from, from === 1 ? ZERO : null, new Map(), null, from - 1];
  for await (const page of pages) {
    for (const entry of page.entries) {
      await checkEntry(entry);
      const follows = entry.seq === next && (previous === null || entry.prev_hash === previous);
      if (!follows) throw new Broken("entries", `#${next}`);
      if (entry.kind === "audit") {
        const is = entry.record && (await sha256(entry.record)) === entry.subject_digest;
        if (!is || JSON.parse(entry.record).id !== entry.subject_id) throw new Broken("records", `#${entry.seq} ${entry.subject_id}`);
        done.records += 1;
      }
      hashes.set(entry.seq, entry.hash);
      [previous, next, done.entries] = [entry.hash, next + 1, done.entries + 1];
    }
    for (const checkpoint of page.checkpoints) {
      if (checkpoint.last_seq >= next) break;
      if (last && checkpoint.number <= last.number) continue;
      const where = `#${checkpoint.number}`;
      await checkCheckpoint(checkpoint, page, keys);
      if (last && (checkpoint.number !== last.number + 1 || checkpoint.previous !== last.hash)) throw new Broken("checkpoints", where);
      if (checkpoint.head !== hashes.get(checkpoint.last_seq)) throw new Broken("checkpoints", where);
      if (checkpoint.first_seq >= from) {
        const size = checkpoint.last_seq - checkpoint.first_seq + 1;
        const own = Array.from({ length: size }, (_, place) => hashes.get(checkpoint.first_seq + place));
        if ((await merkleRoot(own)) !== checkpoint.root) throw new Broken("checkpoints", where);
      }
      last = { number: checkpoint.number, hash: await sha256(body(checkpoint, page.tenant_id, page.workspace_id)) };
      sealedTo = checkpoint.last_seq;
      for (const seq of hashes.keys()) if (seq < sealedTo) hashes.delete(seq);
      done.checkpoints += 1;
    }
  }
  done.unsigned = next - 1 - sealedTo;
  return done;
};

async function* pagesOf(href, from, to) {
  for (let next = from; next; ) {
    const address = new URL(href, location.href);
    address.searchParams.set("from", next);
    if (to) address.searchParams.set("to", to);
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const page = await answer.json();
    yield page;
    next = page.next_from;
  }
}

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

if (globalThis.customElements && !customElements.get("soit-verify")) {
  customElements.define(
    "soit-verify",
    class extends HTMLElement {
      connectedCallback() {
        if (this.firstChild) return;
        const words = JSON.parse(this.dataset.words);
        this.words = Object.fromEntries(WORDS.map((name, place) => [name, words[place]]));
        this.result = element("div", { "aria-live": "polite" });
        const button = element("button", { type: "submit", class: "btn" }, this.words.verify);
        const number = (name) =>
          element("label", {}, this.words[name], " ", element("input", { name, type: "number", min: 1, class: "input" }));
        const range = this.dataset.kind === "chain" ? [number("from"), number("to")] : [];
        this.form = element("form", { class: "verify" }, ...range, button);
        this.form.addEventListener("submit", (event) => {
          event.preventDefault();
          // The page's own listeners send forms to the server.
          event.stopPropagation();
          this.verify();
        });
        this.append(this.form, this.result);
      }

      async verify() {
        const { words } = this;
        this.show("ask", "…", words.checking);
        try {
          const keys = await readKeys();
          const checked = await this.check(keys);
          const told = Object.entries(checked).filter(([name, count]) => count > 0 || name !== "unsigned");
          const items = told.map(([name, count]) => `${words[name]}: ${count}`);
          this.show("allow", "✓", words.sound, items, `${words.keys}: `, [...keys.keys()].join(", "));
        } catch (error) {
          if (error instanceof Broken) this.show("deny", "✗", `${words.broken} ${words[error.check]}`, [], "", error.message);
          else if (error.name === "NotSupportedError" || !globalThis.crypto?.subtle) this.show("ask", "?", words.unsupported);
          else this.show("deny", "✗", words.unreadable, [], "", error.message);
        }
      }

      async check(keys) {
        if (this.dataset.kind === "chain") {
          const fields = new FormData(this.form);
          const from = Number(fields.get("from")) || 1;
          return verifyChain(pagesOf(this.dataset.href, from, Number(fields.get("to")) || null), from, keys);
        }
        const answer = await fetch(this.dataset.href);
        if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
        return verifyEvidence(await answer.arrayBuffer(), keys);
      }

      /** A sentence with its icon, what was counted, and what is quoted as it is. */
      show(tone, icon, sentence, items = [], before = "", quoted = "") {
        const mark = element("span", { "aria-hidden": "true" }, icon);
        const notice = element("div", { class: "notice", "data-tone": tone, "data-testid": "verified" }, mark, element("p", {}, sentence));
        const told = items.map((item) => element("li", {}, item));
        if (quoted) told.push(element("li", {}, before, element("code", {}, quoted)));
        this.result.replaceChildren(notice, ...(told.length ? [element("ul", {}, ...told)] : []));
      }
    },
  );
}
