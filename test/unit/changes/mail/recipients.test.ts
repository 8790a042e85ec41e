import { expect, it } from 'vitest';
import { isMailed } from '../../../../lib/changes/mail/recipients.ts';
import { printable } from '../../../../lib/changes/mail/wrap.ts';
import { IMPORTED, IMPORTED_UNMAILED } from '../../../../lib/people/schema.ts';

const user = { id: 1, login: 'ann@example.org', real_name: 'Ann', groups: [] };

it.each([
  [{}, true],
  [{ disabled: IMPORTED }, true],
  [{ disabled: IMPORTED_UNMAILED }, false],
  [{ disabled: 'On leave' }, false],
  [{ disabled: '' }, false],
  [{ email_enabled: false }, false],
  [{ email_enabled: true }, true],
  [{ login: 'ann' }, false],
  [{ login: 'ann@example.org, bob@example.org' }, false],
  [{ login: 'ann@exa mple.org' }, false],
  [{ login: '<ann@example.org>' }, false],
  [{ login: '"a b"@example.org' }, false],
  [{ login: 'änn@example.org' }, false],
  [{ login: "o'neil+bugs@example.org" }, true],
  [{ login: `${'a'.repeat(65)}@example.org` }, false],
  [{ login: `ann@${'a'.repeat(254)}.org` }, false],
  [{ login: 'ann@example.org\r\nBcc: bob@example.org' }, false],
])('a user with %j is mailed: %s', (given, expected) => {
  expect(isMailed({ ...user, ...given })).toBe(expected);
});

it('a text has no control characters but line breaks and tabs, and no lone surrogates', () => {
  expect(printable('a\u0000b\u001b[31m\r\nc\td\ud800')).toBe('ab[31m\nc\td\ufffd');
});
