const STORED_KEY = 'bugless-api-key';

/** The API key of the reader, kept for the session of this tab, or on this device; '' is anonymous. */
export const apiKey = () => sessionStorage.getItem(STORED_KEY) ?? localStorage.getItem(STORED_KEY) ?? '';

/** Whether the key is kept on this device, where links of mails find it. */
export const isKeptOnDevice = () => localStorage.getItem(STORED_KEY) !== null;

/** Keeps an API key, in this tab or on this device; '' forgets it. */
export function keepApiKey(key, isForDevice = false) {
  sessionStorage.removeItem(STORED_KEY);
  localStorage.removeItem(STORED_KEY);
  if (key !== '') (isForDevice ? localStorage : sessionStorage).setItem(STORED_KEY, key);
}

/** Calls back when another tab has changed what is kept on this device: a reader who leaves one tab leaves all. */
export const onOtherTab = (change) =>
  addEventListener('storage', ({ key }) => {
    if (key === STORED_KEY || key === null) change();
  });

/** Reads an address with the reader's key. Throws an Error with the message and code of an error response. */
export async function request(url) {
  const response = await fetch(url, { headers: apiKey() === '' ? {} : { 'X-BUGZILLA-API-KEY': apiKey() } });
  if (response.ok) return response;
  const { message, code } = await response.json();
  throw Object.assign(new Error(message), { code });
}

/** Reads `rest/<path>` with the reader's key. */
export const rest = async (path) => (await request(`rest/${path}`)).json();
