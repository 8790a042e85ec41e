const STORED_KEY = 'bugless-api-key';

/** The API key of the reader, kept for the session of this tab; '' is anonymous. */
export const apiKey = () => sessionStorage.getItem(STORED_KEY) ?? '';

/** Keeps an API key; '' forgets it. */
export function keepApiKey(key) {
  if (key === '') sessionStorage.removeItem(STORED_KEY);
  else sessionStorage.setItem(STORED_KEY, key);
}

/** Reads an address with the reader's key. Throws an Error with the message and code of an error response. */
export async function request(url) {
  const response = await fetch(url, { headers: apiKey() === '' ? {} : { 'X-BUGZILLA-API-KEY': apiKey() } });
  if (response.ok) return response;
  const { message, code } = await response.json();
  throw Object.assign(new Error(message), { code });
}

/** Reads `rest/<path>` with the reader's key. */
export const rest = async (path) => (await request(`rest/${path}`)).json();
