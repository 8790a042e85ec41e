import { mayKeep } from './rest.js';

/** How long a draft is kept on this device, in ms. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

// Signing out removes everything that begins with `bugless ` (rest.js).
const nameOf = (login, subject) => `bugless draft ${login} ${subject}`;

/** The draft of a user about a bug, or about a new bug of a product; undefined: none. */
export function readDraft(login, subject) {
  const name = nameOf(login, subject);
  const stored = sessionStorage.getItem(name) ?? localStorage.getItem(name);
  if (stored === null) return undefined;
  try {
    const { savedAt, content } = JSON.parse(stored);
    if (Date.now() - savedAt < KEPT_MS) return content;
  } catch {
    // What cannot be read is no draft.
  }
  removeDraft(login, subject);
  return undefined;
}

/** Files that were chosen and not sent: kept while the page is shown anew because something else of it was saved. */
const UPLOADS = new Map();

export const readUploads = (login, subject) => UPLOADS.get(nameOf(login, subject)) ?? [];
export const keepUploads = (login, subject, uploads) => UPLOADS.set(nameOf(login, subject), uploads);

/** Keeps a draft: in this tab if it is confidential, else on this device. */
export function keepDraft(login, subject, content, isConfidential) {
  if (!mayKeep()) return;
  removeDraft(login, subject);
  const storage = isConfidential ? sessionStorage : localStorage;
  try {
    storage.setItem(nameOf(login, subject), JSON.stringify({ savedAt: Date.now(), content }));
  } catch {
    // Without room, or where the browser allows no storage, there is no draft.
  }
}

export function removeDraft(login, subject) {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(nameOf(login, subject));
}

/** Removes what anybody has drafted about a bug. Logins have no blanks. */
export function removeDraftsOf(bug) {
  for (const storage of [sessionStorage, localStorage]) {
    const names = Object.keys(storage).filter((name) => /^bugless draft \S+ (\S+)$/.exec(name)?.[1] === bug);
    for (const name of names) storage.removeItem(name);
  }
}
