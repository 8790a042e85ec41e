import { escapeLine } from '../../lib/base/text.ts';
import type { KeyHolder } from './demo-data.ts';

/**
 * The message after the start: URL, API keys and example calls.
 *
 * @param holders users with valid API keys; when empty, the examples need no key
 */
export function welcome(url: string, holders: readonly KeyHolder[]): string {
  const lines = ['', `Bugless runs on ${url} (the API explorer on ${url}/api)`];
  if (holders.length > 0) {
    const width = Math.max(...holders.map(({ key }) => key.length));
    lines.push(
      '',
      'API keys:',
      ...holders.map(({ login, key, groups }) =>
        `  ${key.padEnd(width)}  ${login}${groups.length > 0 ? ` (${groups.join(', ')})` : ''}`.trimEnd(),
      ),
    );
  }
  lines.push('', 'Administration, while it runs:', '  npm run admin -- user list');
  lines.push('', 'Try:', ...examples(url, holders).map((line) => `  ${line}`), '');
  // Logins, groups and keys are those of a catalogue.
  return lines.map(escapeLine).join('\n');
}

function examples(url: string, holders: readonly KeyHolder[]): string[] {
  const anonymous = [`curl ${url}/rest/version`, `curl '${url}/rest/product?type=accessible'`];
  const [privileged] = holders.toSorted((a, b) => b.groups.length - a.groups.length);
  if (privileged === undefined) return anonymous;
  const product = JSON.stringify({ name: 'Rocket', description: 'To the moon', version: '1.0' });
  return [
    ...anonymous,
    `curl -H 'X-BUGZILLA-API-KEY: ${privileged.key}' '${url}/rest/product?type=accessible&include_fields=id,name'`,
    `curl -H 'X-BUGZILLA-API-KEY: ${privileged.key}' -H 'Content-Type: application/json' \\`,
    `     -d '${product}' ${url}/rest/product`,
  ];
}
