import { html, When } from './elements.js';
import { adminUrl } from './operation-form.js';
import { rest } from './rest.js';

/** The audit log, newest entries first, filtered by the address. */
export async function auditTab(parameters) {
  const given = Object.fromEntries(
    ['by', 'of', 'before'].flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)]] : [])),
  );
  const { entries, next } = await rest(`bugless/audit?${new URLSearchParams(given)}`);
  const filter = (name, label) =>
    html`<label for=${`audit-${name}`}>${label}</label><input id=${`audit-${name}`} name=${name} defaultValue=${given[name] ?? ''} />`;
  return html`<h1>Audit log</h1>
    <form class="line" action="admin"><input type="hidden" name="tab" value="audit" />${filter('by', 'By')}${filter('of', 'Of')}<button type="submit">Show</button></form>
    ${entries.length === 0 && html`<p>Nothing was administered that meets this.</p>`}
    ${entries.map(
      (
        entry,
      ) => html`<article class="entry"><header><${When} at=${entry.time} isExact /><b>${entry.who}</b> ${entry.command}${entry.state !== 'done' && ` (${entry.state})`}</header>
      <ul>${(entry.changes ?? []).map(({ kind, name, fields }) => html`<li>${kind} ${name}: ${Object.entries(fields).map(([field, { removed, added }]) => html`<span>${field} <del>${removed}</del> <ins>${added}</ins> </span>`)}</li>`)}</ul></article>`,
    )}
    ${next !== undefined && html`<p><a href=${adminUrl('audit', { ...given, before: next })}>Older entries</a></p>`}`;
}
