import type { Differing } from './recorded.ts';

/** A kind of difference that has a reason. */
interface Kind {
  name: string;
  is: (one: Differing) => boolean;
}

const at =
  (place: RegExp, path = /^/) =>
  (one: Differing): boolean =>
    place.test(one.at) && path.test(one.path);

/** Bugs that were written by SQL, which Bugzilla itself answers with an internal error, as code 100500. */
const CRASHES = /\.(code|error|documentation|message|bugs|comments|faults)$/;

/** Every difference from the recorded Bugzilla, by its reason. Those of who sees what have none. */
const KINDS: readonly Kind[] = [
  {
    name: 'an internal error of Bugzilla',
    is: ({ at: place, there, here }) => CRASHES.test(place) && (there === undefined || here === undefined),
  },
  { name: 'words and links of errors', is: at(/^\.(message|documentation)$/) },
  { name: 'no update tokens', is: at(/\.update_token$/) },
  { name: 'parameters that mean nothing here', is: at(/^/, /\/parameters$/) },
  { name: 'the version', is: at(/^\.(bugless|extensions\.Bugless|version)$/) },
  { name: 'whoami, which 5.2 does not have', is: at(/^status$/, /\/whoami$/) },
  { name: 'names in paths that 5.2 does not decode', is: at(/^status$/, /\/flag_type\/.*%C3/) },
  { name: 'no sort keys of values and classifications', is: at(/\.sort_?key$/) },
  { name: 'which values show is not kept', is: at(/^\.fields\[74\]/, /\/field\/bug/) },
  { name: 'fields that only 5.2 has', is: at(/^\.fields\[(60|291|292)\]$/) },
  { name: 'values and statuses with stand-ins', is: at(/^\.fields\[(3|9|15)\]\.values/) },
  { name: 'inactive values are offered', is: at(/^\.fields\[(8|12|13)\]\.values\[[^\]]*\]\.is_active$/) },
  { name: 'a classification without a product that shows', is: at(/^status$/, /\/classification\/4$/) },
  { name: 'summaries without control characters', is: at(/^\.bugs\[[23]\]\.summary$/) },
  {
    name: 'stand-ins for components',
    is: ({ at: place }) =>
      /^\.products\[4\]\.components\[10\d{8}\]$|^\.bugs\[102[34]\]\.component$/.test(place),
  },
  { name: 'the empty description of a bug without one', is: at(/comments\[1000000054\]$/) },
  {
    name: 'inactive values of custom fields are told',
    is: ({ at: place, there, here }) =>
      /^\.fields\[\d+\]\.values\[.*\]\.is_active$/.test(place) && there === undefined && here === false,
  },
  {
    name: 'words that Bugzilla hides of comments of unknown kinds',
    is: ({ at: place, there }) => /comments\[\d+\]\.text$/.test(place) && there === '',
  },
  {
    name: 'a mark for the data that was deleted',
    is: ({ at: place, there }) =>
      /\.(size|data)$/.test(place) && (there === null || there === 0 || there === ''),
  },
  {
    name: 'attachments without type, name or file',
    is: at(/\[90[123]\]\.(content_type|file_name|is_patch)$/),
  },
  {
    name: 'changes of the privacy of comments are the business of insiders',
    is: ({ at: place, there, here }) =>
      /^\.bugs\[39\]\.history/.test(place) &&
      (there === undefined || here === undefined || /changes/.test(place)),
  },
  {
    name: 'blanks where values were joined',
    is: ({ at: place, there, here }) =>
      /\.(added|removed)$/.test(place) && String(there ?? '').trim() === String(here).trim(),
  },
  {
    name: 'members by expressions whom Bugzilla has not looked up yet',
    is: ({ at: place, there }) => /\.users\[50\d\]\.groups\[\d+\]$/.test(place) && there === undefined,
  },
  {
    name: 'logins without blanks',
    is: ({ at: place, there, here }) =>
      /\.users\[505\]\.(name|email)$/.test(place) && String(there).trim() === here,
  },
  { name: 'reasons of disabled users', is: at(/\.users\[\d+\]\.login_denied_text$/) },
  {
    name: 'spellings of queries',
    is: ({ at: place, there, here }) =>
      /\.query$/.test(place) &&
      decodeURIComponent(String(there)).replaceAll('+', ' ') ===
        decodeURIComponent(String(here)).replaceAll('+', ' '),
  },
  {
    name: 'fragments of values, which Bugzilla joins in the order in which its database has them',
    is: at(/^\.bugs\[4[01]\]\.history\[\d+\]\.changes\[/),
  },
  {
    name: 'bugs that Bugzilla shows to nobody, and administrators see here',
    is: ({ who, path, at: place }) =>
      who === 'admin' && place === 'status' && /\/bug\/(1002|1009)\?/.test(path),
  },
  { name: 'stand-ins for groups', is: at(/\.groups\[(777|1000000000)\]$/) },
  { name: 'names of products that do not show', is: at(/^\.fields\[7[23]\]\.visibility_values/) },
  { name: "people's own tags of bugs", is: at(/^\.bugs\[\d+\]\.tags\[/) },
  { name: 'hours of a bug without comments', is: at(/^\.bugs\[54\]\.actual_time$/) },
];

/** The differences that have none of these reasons. */
export const unexplained = (all: readonly Differing[]): Differing[] =>
  all.filter((one) => !KINDS.some(({ is }) => is(one)));
