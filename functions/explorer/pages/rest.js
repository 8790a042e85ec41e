const STORED_KEY = 'bugless-api-key';
/** The code of a key or a session which is not valid any more. */
export const KEY_INVALID = 306;

/** The code of what needs a sign-in, or a newer one. */
export const LOGIN_REQUIRED = 410;
/** Refuses a page to who is not signed in, which asks for that. `what` it is for */
export function requireKey(what) {
  if (apiKey() === '') throw Object.assign(new Error(`Sign in to ${what}.`), { code: LOGIN_REQUIRED });
}

/** The code of a response that would be too large. */
export const TOO_LARGE = 32000;

/** The API key of the reader, kept for the session of this tab, or on this device; '' is anonymous. */
export const apiKey = () => sessionStorage.getItem(STORED_KEY) ?? localStorage.getItem(STORED_KEY) ?? '';

/** Whether the key is kept on this device, where links of mails find it. */
export const isKeptOnDevice = () => localStorage.getItem(STORED_KEY) !== null;

/** Whether the reader signed in by mail. */
export const isSession = () => apiKey().startsWith('session-');

/** Keeps an API key, in this tab or on this device, without what was read with another; '' forgets it, and what was drafted with it. */
export function keepApiKey(key, isForDevice = false) {
  for (const storage of [sessionStorage, localStorage]) {
    for (const name of Object.keys(storage)) {
      if (!name.startsWith('bugless ')) continue;
      if (key === '' || !name.startsWith('bugless draft ')) storage.removeItem(name);
    }
  }
  sessionStorage.removeItem(STORED_KEY);
  localStorage.removeItem(STORED_KEY);
  if (key !== '') (isForDevice ? localStorage : sessionStorage).setItem(STORED_KEY, key);
}

/** Where bugs that were looked at last are kept: as long as the key. */
const VISITED = 'bugless visited';
const MAX_VISITED = 5;
const keeping = () => (isKeptOnDevice() ? localStorage : sessionStorage);

/** The bugs that the reader looked at last in this browser, `{id, summary}`, the last one first. */
export const visitedBugs = () => JSON.parse(keeping().getItem(VISITED) ?? '[]');

/** Keeps that a bug was looked at; with `isHidden`, that it is not shown any more. */
export function keepVisit({ id, summary }, isHidden) {
  const others = visitedBugs().filter((one) => one.id !== id);
  const visited = isHidden ? others : [{ id, summary }, ...others];
  if (apiKey() !== '') keeping().setItem(VISITED, JSON.stringify(visited.slice(0, MAX_VISITED)));
}

/** Opens an address of the pages, or this one again, as the reader who has the key now. */
export function openAnew(address = location.href) {
  const given = URL.canParse(address, location.href) ? new URL(address, location.href) : location;
  const { pathname, search, hash } = given.origin === location.origin ? given : new URL('./', location.href);
  if (pathname !== location.pathname || search !== location.search) {
    location.replace(pathname + search + hash);
    return;
  }
  // An address that differs by its fragment alone would not be loaded.
  history.replaceState(null, '', pathname + search + hash);
  location.reload();
}

/** Calls back when another tab has changed what is kept on this device: a reader who leaves one tab leaves all. */
export const onOtherTab = (change) =>
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== STORED_KEY && key !== null) return;
    if (newValue === null && sessionStorage.getItem(STORED_KEY) === null) {
      hasLeft = true;
      keepApiKey('');
    }
    change();
  });

/** Whether the reader has signed out in another tab: this one keeps nothing any more, also where it stays open. */
let hasLeft = false;
export const mayKeep = () => !hasLeft;

/** How far the server's clock is ahead of the reader's, in ms, by the `Date` of the last response. */
let clockDifference = 0;

/** The time of the server, in ms. */
export const serverTime = () => Date.now() + clockDifference;

/**
 * Requests an address with the reader's key. Throws an Error with the message, `code` and `status` of an error response; with
 * `isRepeatable` where the same request may succeed later.
 */
export async function request(url, { headers = {}, ...options } = {}) {
  const credentials = apiKey() === '' ? {} : { 'X-BUGZILLA-API-KEY': apiKey() };
  // What the page has started (start.js) is taken once, where it has the same key.
  const { started } = globalThis;
  const begun = options.method === undefined && started?.key === apiKey() ? started.get(url) : undefined;
  started?.delete(url);
  const sent = begun ?? fetch(url, { ...options, headers: { ...headers, ...credentials } });
  const response = await sent.catch(() => {
    throw Object.assign(new Error('The server cannot be reached.'), { isRepeatable: true });
  });
  const date = Date.parse(response.headers.get('date'));
  if (date > 0) clockDifference = date - Date.now();
  if (response.ok) return response;
  const { status } = response;
  const isRepeatable = status === 429 || status >= 500;
  const { message, code } = await response.json().catch(() => ({
    message: `Something between here and Bugless answered with the status ${status}.`,
  }));
  if (code === KEY_INVALID) {
    forget();
    dispatchEvent(new CustomEvent('bugless-signed', { detail: { hasEnded: true } }));
  }
  throw Object.assign(new Error(message), { code, status, isRepeatable });
}

const contentOf = (response) =>
  response.json().catch(() => {
    throw new Error('Something between here and Bugless answered with a page of its own.');
  });

/** How long a busy server is left alone before it is asked again, in ms. */
const PAUSES_MS = [500, 1_500];

/** Requests `rest/<path>` with the reader's key; what is busy is asked as often as there are pauses. */
async function ask(path, options = {}, [pause, ...others] = PAUSES_MS) {
  try {
    return await contentOf(await request(`rest/${path}`, options));
  } catch (problem) {
    if (problem.status !== 503 || pause === undefined) throw problem;
    await new Promise((resolve) => setTimeout(resolve, pause));
    return ask(path, options, others);
  }
}

/** Reads `rest/<path>`. */
export const rest = (path) => ask(path);

/** Sends a body as JSON to `rest/<path>`, again only what has a key against repetition. What was read once is read again, if this may change it. */
export async function send(method, path, body, headers = {}) {
  const options = {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const content = await ask(path, options, headers['Idempotency-Key'] === undefined ? [] : undefined);
  if (!/^bug/.test(path) || path.startsWith('bugless/')) forget();
  else if (!path.startsWith('bug_')) forget('bug?');
  return content;
}

/** A random value for the header `Idempotency-Key`. */
export const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Real names by login, as far as there are accounts. */
export async function readNames(logins) {
  const query = new URLSearchParams([...new Set(logins)].slice(0, 100).map((login) => ['names', login]));
  if (query.size === 0) return {};
  const reading = restOnce(`user?include_fields=name,real_name&${query}`);
  const { users } = await reading.catch(() => ({ users: [] }));
  return Object.fromEntries(users.map(({ name, real_name }) => [name, real_name]));
}

let readReader;

/** The reader as `whoami` tells, where a bug is filed with the rights for its product; undefined without a key. `isAnew`: read again */
export function reader(isAnew = false) {
  const product =
    /enter_bug\.cgi$/.test(location.pathname) && new URLSearchParams(location.search).get('product');
  // Who administrates sees at once what the rights are now.
  const read = isAnew || /admin$/.test(location.pathname) ? rest : restOnce;
  const whoami = () => read(product ? `whoami?${new URLSearchParams({ product })}` : 'whoami');
  if (isAnew) readReader = undefined;
  // A product that there is not says nothing of the reader.
  readReader ??= apiKey() === '' ? Promise.resolve() : whoami().catch(() => read('whoami'));
  return readReader;
}

/** A reader with the rights for one product, too. */
export async function readerOf(user, product) {
  if (user === undefined || user.rights.edit_bugs) return user;
  const { rights } = await rest(`whoami?${new URLSearchParams({ product })}`);
  return { ...user, rights };
}

/** What the names of things begin with that were read once, and for how long these are kept, in ms. */
const ONCE = 'bugless once ';
const KEPT_MS = 600_000;

/** Has all that was read once read again, or what of it begins so. */
function forget(path = '') {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(ONCE + path)) sessionStorage.removeItem(name);
}

/** Reads `rest/<path>`, which hardly changes, once for this tab, and again after ten minutes. */
export async function restOnce(path) {
  const name = ONCE + path;
  const known = JSON.parse(sessionStorage.getItem(name) ?? '{}');
  if (Date.now() - known.at < KEPT_MS) return known.content;
  const content = await rest(path);
  sessionStorage.setItem(name, JSON.stringify({ at: Date.now(), content }));
  return content;
}
