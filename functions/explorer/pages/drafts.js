import { mayKeep, newKey } from './rest.js';

/** How long a draft is kept on this device, in ms. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** What tells the drafts of this tab from those of others. */
const TAB = 'bugless-tab';
if (sessionStorage.getItem(TAB) === null) sessionStorage.setItem(TAB, newKey());
const tab = sessionStorage.getItem(TAB);

// Signing out removes everything that begins with `bugless ` (rest.js).
const nameOf = (login, subject) => `bugless draft ${login} ${subject}`;

function read(storage, name) {
  try {
    const draft = JSON.parse(storage.getItem(name));
    if (draft !== null && Date.now() - draft.savedAt < KEPT_MS) return draft;
  } catch {
    // What cannot be read is no draft.
  }
  storage.removeItem(name);
  return undefined;
}

/** The draft of a user about a bug, or about a new bug of a product, that was written in this tab; undefined: none. */
export const readDraft = (login, subject) => read(sessionStorage, nameOf(login, subject))?.content;

/** The newest draft of another tab of this device: `{content, savedAt}`; undefined: none. */
export function draftOfOtherTab(login, subject) {
  const draft = read(localStorage, nameOf(login, subject));
  return draft?.tab === tab ? undefined : draft;
}

/** Files that were chosen and not sent: kept while the page is shown anew because something else of it was saved. */
const UPLOADS = new Map();

export const readUploads = (login, subject) => UPLOADS.get(nameOf(login, subject)) ?? [];
export const keepUploads = (login, subject, uploads) => UPLOADS.set(nameOf(login, subject), uploads);

/** Keeps a draft in this tab, and, unless it is confidential, as the newest one on this device. */
export function keepDraft(login, subject, content, isConfidential) {
  if (!mayKeep()) return;
  const name = nameOf(login, subject);
  const draft = JSON.stringify({ savedAt: Date.now(), tab, content });
  if (isConfidential) removeOwn(localStorage, name);
  try {
    sessionStorage.setItem(name, draft);
    if (!isConfidential) localStorage.setItem(name, draft);
  } catch {
    // Without room, or where the browser allows no storage, there is no draft.
  }
}

/** That of another tab stays. */
function removeOwn(storage, name) {
  if (read(storage, name)?.tab === tab) storage.removeItem(name);
}

/** Removes the draft of this tab; if `isEverywhere`, the newest of the device, too. */
export function removeDraft(login, subject, isEverywhere = false) {
  const name = nameOf(login, subject);
  sessionStorage.removeItem(name);
  if (isEverywhere) localStorage.removeItem(name);
  else removeOwn(localStorage, name);
}

/** Removes what anybody has drafted about a bug. Logins have no blanks. */
export function removeDraftsOf(bug) {
  for (const storage of [sessionStorage, localStorage]) {
    const names = Object.keys(storage).filter((name) => /^bugless draft \S+ (\S+)$/.exec(name)?.[1] === bug);
    for (const name of names) storage.removeItem(name);
  }
}
