import type { KeyHolder } from './demo-data.ts';

/**
 * What a newcomer reads first: where the service is, keys to call it with, lines to try.
 *
 * @param endpoint of the DynamoDB, for the operator's tool
 * @param holders users with working API keys; none: lines that need no key
 */
export function welcome(url: string, endpoint: string, holders: readonly KeyHolder[]): string {
  const lines = ['', `Bugless answers on ${url} (open it in a browser to try everything)`];
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
  lines.push('', 'Users, groups, catalogues:', `  DYNAMODB_ENDPOINT=${endpoint} npm run admin -- user list`);
  lines.push('', 'Try:', ...tries(url, holders).map((line) => `  ${line}`), '');
  return lines.join('\n');
}

function tries(url: string, holders: readonly KeyHolder[]): string[] {
  const anonymous = [`curl ${url}/rest/version`, `curl '${url}/rest/product?type=accessible'`];
  const [mighty] = holders.toSorted((a, b) => b.groups.length - a.groups.length);
  if (mighty === undefined) return anonymous;
  const product = JSON.stringify({ name: 'Rocket', description: 'To the moon', version: '1.0' });
  return [
    ...anonymous,
    `curl -H 'X-BUGZILLA-API-KEY: ${mighty.key}' '${url}/rest/product?type=accessible&include_fields=id,name'`,
    `curl -H 'X-BUGZILLA-API-KEY: ${mighty.key}' -H 'Content-Type: application/json' \\`,
    `     -d '${product}' ${url}/rest/product`,
  ];
}
