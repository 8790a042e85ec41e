import type { Bugzilla } from './bugzilla-client.ts';
import { type Access, RESTRICTED } from './product-access.ts';

const ALWAYS = [
  'Users and their rights, who is in which group, and API keys: REST does not tell them. Logins stand as Bugzilla shows them; add the users under the same logins.',
  `Group controls of products: REST does not tell them. What not everybody can reach takes the group ${RESTRICTED} here, until a catalogue says better.`,
  'Attachments themselves, flags set on bugs, hours worked, and fields of bugs that Bugless does not have.',
];
const NO_KEY =
  'There was no API key: Bugzilla shows only what is public, and cuts logins off at the @. Rather start anew, with a key.';
const LOGIN_DEMANDED =
  'Bugzilla demands a login of everybody, so it cannot be seen which products are restricted further. Deploy with REQUIRE_LOGIN=true and give group controls in a catalogue.';

/** What is never copied, and what the operator has to see to. */
export function notesOf(bugzilla: Bugzilla, { byAnybody }: Access): string[] {
  return [
    ...(bugzilla.hasKey ? [] : [NO_KEY]),
    ...(byAnybody === undefined ? [LOGIN_DEMANDED] : []),
    ...ALWAYS,
  ];
}
