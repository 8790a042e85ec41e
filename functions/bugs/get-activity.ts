import * as z from 'zod/mini';
import { optional, parseParameters, text } from '../../lib/base/parameters.ts';
import type { BugFields } from '../../lib/bugs/fields/registry.ts';
import type { FieldChange, HistoryItem } from '../../lib/bugs/schema.ts';
import { shownAddress } from '../../lib/bugs/show/csv.ts';
import { pageTitle } from '../../lib/bugs/show/field-titles.ts';
import { WHOLE_HISTORY } from '../../lib/bugs/show/visible-history.ts';
import { xmlText } from '../../lib/bugs/show/xml.ts';
import { errors } from '../../lib/errors.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import { documentResponse, type Endpoint } from '../../lib/http/response/gateway-response.ts';
import { readHistories } from './get-history.ts';
import type { BugServices } from './services.ts';

const query = z.object({ id: optional(text) });

/** Returns what changed of a bug as the table of 5.2's page, which programs read. functions/bugs/README.md 2.7 */
export const getActivity: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const { id } = parseParameters(query, request.parameters);
  if (!id) throw errors.parameterMissing('id');
  const [{ fields }, { caller, bugs, histories }] = await Promise.all([
    services.bugSettings.read(),
    readHistories([id], request, services, WHOLE_HISTORY),
  ]);
  const [bug] = bugs;
  const [history = []] = histories;
  const heading = `Changes of <a href="show_bug.cgi?id=${bug?.id}">bug ${bug?.id}</a>`;
  const page = `<!doctype html>
<html lang="en">
<meta charset="UTF-8">
<title>Changes of bug ${bug?.id}</title>
<h1>${heading}</h1>
${history.length === 0 ? '<p>Nothing has changed.</p>' : table(history, fields, caller.user === undefined)}
</html>
`;
  return documentResponse(request, page, {
    'content-type': 'text/html; charset=UTF-8',
    'content-security-policy':
      "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  });
};

const HEADINGS = ['Who', 'When', 'What', 'Removed', 'Added'];
/** Fields whose values have addresses of people. */
const PEOPLE: ReadonlySet<string> = new Set([
  'assigned_to',
  'reporter',
  'qa_contact',
  'cc',
  'flagtypes.name',
]);
const BUGS: ReadonlySet<string> = new Set(['blocked', 'dependson']);

function table(history: readonly HistoryItem[], fields: BugFields, hidesAddresses: boolean): string {
  const rows = history.map(({ when, who, changes }) => {
    const span = `<td rowspan="${changes.length}">`;
    const time = when.replace('T', ' ').replace('Z', ' UTC');
    const first = `${span}${xmlText(shownAddress(who, hidesAddresses))}</td>${span}${time}</td>`;
    return `<tr>${first}${changes.map((change) => cells(change, fields, hidesAddresses)).join('</tr><tr>')}</tr>`;
  });
  const heading = HEADINGS.map((text) => `<th>${text}</th>`).join('');
  return `<table id="bug_activity"><tr class="column_header">${heading}</tr>\n${rows.join('\n')}\n</table>`;
}

function cells(
  { field_name, removed, added, attachment_id }: FieldChange,
  fields: BugFields,
  hidesAddresses: boolean,
): string {
  const field = fields.shownAs(field_name) ?? fields.named(field_name);
  const name = field?.name ?? field_name;
  const shown = (value: string) => {
    const cut = hidesAddresses && PEOPLE.has(name) ? value.replaceAll(/@[^\s,()]+/g, '') : value;
    // Histories of a catalogue have any text.
    if (!BUGS.has(name) || !/^[\d, ]*$/.test(cut)) return xmlText(cut);
    return cut.replaceAll(/\d+/g, '<a href="show_bug.cgi?id=$&">$&</a>');
  };
  const file =
    attachment_id === undefined
      ? ''
      : `<a href="attachment.cgi?id=${attachment_id}">Attachment #${attachment_id}</a> `;
  const title = field === undefined ? field_name : pageTitle(field);
  return `<td>${file}${xmlText(title)}</td><td>${shown(removed)}</td><td>${shown(added)}</td>`;
}
