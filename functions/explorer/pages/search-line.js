/** Roles in which the search line knows people, with the fields that charts compare. */
const ROLES = { assignee: 'assigned_to', reporter: 'reporter', cc: 'cc', qa: 'qa_contact' };
const ME = '%user%';

/** Parameters that select no bugs, and credentials, which are not shown. */
const NO_CONDITION =
  /^(order|limit|offset|query_format|columnlist|list_id|ctype|title|(in|ex)clude_fields|(Bugzilla_)?(api_key|token|login|password))$/;

/** The terms of a text: words, those in quotation marks as one; undefined: a mark is not closed. */
function termsOf(text) {
  if ((text.match(/"/g) ?? []).length % 2 === 1) return undefined;
  return text.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
}

/**
 * What the search line means: `{ bug }` for the number of one, else `{ query }`, the parameters of the search. What the line adds
 * to the quicksearch of Bugzilla becomes charts; all else is its quicksearch. The help has a row for each (help.js).
 */
function readSearchLine(text) {
  const [, bug] = /^(?:bug\s*)?#?(\d+)$/i.exec(text.trim()) ?? [];
  if (bug !== undefined) return { bug };
  const terms = termsOf(text);
  const query = new URLSearchParams();
  const left = terms === undefined ? [text] : [];
  let count = 0;
  const chart = (field, operator, value, isNot = false) => {
    count += 1;
    query.append(`f${count}`, field);
    if (operator !== undefined) query.append(`o${count}`, operator);
    if (value !== undefined) query.append(`v${count}`, value);
    if (isNot) query.append(`n${count}`, '1');
  };
  for (const term of terms ?? []) {
    const [, role] = /^(assignee|reporter|cc|qa):me$/i.exec(term) ?? [];
    const [, age] = /^changed:(\d+[hdwmy])$/i.exec(term) ?? [];
    const [, excluded] = /^-("[^"]+"|[^\s:|,"=<>!#@&-][^\s:|,"=<>]*)$/.exec(term) ?? [];
    if (role !== undefined) chart(ROLES[role.toLowerCase()], 'equals', ME);
    else if (/^me$/i.test(term)) {
      query.append(`j${count + 1}`, 'OR');
      chart('OP');
      for (const field of Object.values(ROLES)) chart(field, 'equals', ME);
      chart('CP');
    } else if (age !== undefined) chart('delta_ts', 'greaterthan', `-${age}`);
    else if (excluded !== undefined) {
      const word = excluded.replaceAll('"', '');
      chart('short_desc', 'substring', word, true);
      chart('content', 'matches', `"${word}"`, true);
    } else left.push(term);
  }
  // Without words of its own, a quicksearch is of open bugs, too.
  if (left.length > 0) query.append('quicksearch', left.join(' '));
  else query.append('bug_status', '__open__');
  return { query };
}

/** The search of an address: its `query` without what selects no bugs, the `line` as it is read, and the parameters that are `read`. */
export function searchOf(parameters) {
  const quicksearch = parameters.get('quicksearch')?.trim() ?? '';
  const line = quicksearch === '' ? {} : readSearchLine(quicksearch);
  const names = [...new Set(parameters.keys())].filter((name) => !NO_CONDITION.test(name));
  // Values of one name together, and none that is blank, as the server starts the request (first-reads.ts).
  const valuesOf = (name) => parameters.getAll(name).flatMap((value) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(names.flatMap(valuesOf));
  // An address with charts has its own numbers of these, so the line is Bugzilla's there.
  const hasCharts = [...query.keys()].some((name) => /^f\d+$/.test(name));
  const read = new URLSearchParams([
    ...[...query].filter(([name]) => hasCharts || name !== 'quicksearch'),
    ...(hasCharts ? [] : (line.query ?? [])),
  ]);
  return { quicksearch, line, query, read };
}
