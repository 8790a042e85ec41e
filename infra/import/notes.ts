import type { Bugzilla } from './bugzilla-client.ts';
import type { Hidden } from './hidden.ts';
import { type Access, RESTRICTED } from './product-access.ts';

const ALWAYS = [
  'API keys and passwords. Users are disabled until they get a key: npm run admin -- key create --all.',
  `Group controls of products: REST does not expose them. Products that are not public require the group ${RESTRICTED}, until you apply a catalogue with their group controls.`,
  'Which values of fields, and which statuses, are inactive; the default CC of components; values of obsolete custom fields: REST does not expose them.',
];
const HIDDEN_STATES =
  'Groups of users, and who is disabled or gets no mails: the owner of the API key is not in editusers. Imported users get mails after they got a key.';
const HIDDEN_HOURS =
  'Estimated, remaining and worked hours: the owner of the API key is not in the time-tracking group of this Bugzilla, unless it has none.';
const KEY_LOGGED =
  'This Bugzilla reads API keys as parameters only, and its web server writes these to its access log: revoke the key after the last import.';
const NO_KEY =
  'Without an API key, Bugzilla returns public data only, and logins without their domain. Import into a new table, with a key.';
const LOGIN_REQUIRED =
  'Bugzilla requires login, so restricted products could not be detected. Apply a catalogue with group controls.';

/** What is never copied, and manual steps for the operator. */
export function notesOf(
  bugzilla: Bugzilla,
  { anonymous }: Access,
  { hasStates, hasHours }: Hidden,
): string[] {
  return [
    ...(bugzilla.hasKey ? [] : [NO_KEY]),
    ...(anonymous === undefined ? [LOGIN_REQUIRED] : []),
    ...(hasStates ? [HIDDEN_STATES] : []),
    ...(hasHours ? [HIDDEN_HOURS] : []),
    ...ALWAYS,
    ...(bugzilla.isKeyLogged() ? [KEY_LOGGED] : []),
  ];
}
