import { restName } from './labels.js';

/** The fields that errors are about, by their code. */
const FIELDS_OF_CODES = {
  103: 'alias',
  105: 'component',
  106: 'product',
  107: 'summary',
  112: 'see_also',
  113: 'comment',
  114: 'comment',
  116: 'depends_on',
  118: 'dupe_of',
  119: 'dupe_of',
  120: 'groups',
  121: 'resolution',
  122: 'resolution',
  123: 'status',
  129: 'flags',
  130: 'flags',
  131: 'flags',
  132: 'flags',
  133: 'flags',
  134: 'flags',
  504: 'cc',
  600: 'attachments',
  601: 'attachments',
  603: 'attachments',
  604: 'attachments',
  606: 'attachments',
};

/**
 * The field of a form that an error is about: by its code, or by the field or value that it quotes; undefined: none.
 *
 * @param values of the form by name: texts, or lists of them
 */
export function fieldOfProblem({ code, message }, values) {
  if (code in FIELDS_OF_CODES) return FIELDS_OF_CODES[code];
  const known = Object.keys(values);
  const quoted = [...message.matchAll(/'([^']*)'|#(\d+)/g)].map(([, text, id]) => text ?? id);
  const spoken = [...message.matchAll(/\b(?:of|no|The) (\w+)/g)].map(([, word]) => word);
  const named = [...quoted, ...spoken].map(restName).find((name) => known.includes(name));
  if (named !== undefined) return named;
  const holder = known.find((name) =>
    String(values[name])
      .split(',')
      .some((value) => value.trim() !== '' && quoted.includes(value.trim())),
  );
  if (holder !== undefined) return holder;
  return /\bcomment is required\b/.test(message) ? 'comment' : code === 104 ? 'summary' : undefined;
}
