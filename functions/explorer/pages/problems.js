import { restName } from './labels.js';

/** Fields by the codes of the errors that are about them: `name 105 107, …`. */
export const fieldsByCode = (text) =>
  Object.fromEntries(
    text.split(', ').flatMap((part) => {
      const [name, ...codes] = part.split(' ');
      return codes.map((code) => [code, name]);
    }),
  );
const FIELDS_OF_CODES = fieldsByCode(
  'alias 103, component 105, product 106, summary 107, see_also 112, comment 113 114, depends_on 116, dupe_of 118 119, groups 120, ' +
    'resolution 121 122, status 123, flags 129 130 131 132 133 134, cc 504, attachments 600 601 603 604 606',
);

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
