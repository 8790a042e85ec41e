import { errors } from '../errors.ts';

/** The page of a bug of a Bugzilla, whatever else its address says, such as which comment to show. */
const SHOW_BUG = /^(https?:\/\/[^?#]+\/show_bug\.cgi)\?(?:[^#]*&)?id=(\d+)(?:[&#].*)?$/i;

/**
 * The bug trackers whose URLs `see_also` accepts: a pattern with the parts of a URL that identify a bug, and the
 * canonical URL of these parts.
 */
const TRACKERS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [
    /^https?:\/\/(?:bugs\.)?launchpad\.net\/(?:.*\/)?\+?bugs?\/(\d+)$/i,
    (id) => `https://launchpad.net/bugs/${id}`,
  ],
  [
    /^https?:\/\/code\.google\.com\/p\/([^/]+)\/issues\/detail\?id=(\d+)/i,
    (project, id) => `http://code.google.com/p/${project}/issues/detail?id=${id}`,
  ],
  [
    /^https?:\/\/bugs\.debian\.org\/(?:cgi-bin\/bugreport\.cgi\?bug=)?(\d+)$/i,
    (id) => `http://bugs.debian.org/${id}`,
  ],
  [
    /^https?:\/\/(?:www\.)?github\.com\/([^/]+)\/([^/]+)\/(issues|pull)\/(\d+)(?:#.*)?$/i,
    (owner, project, kind, id) => `https://github.com/${owner}/${project}/${kind}/${id}`,
  ],
  [SHOW_BUG, (page, id) => `${page}?id=${id}`],
  [/^(https?:\/\/[^?#]+\/browse\/[A-Z][A-Z0-9_]*-\d+)$/, (address) => address],
  [/^(https?:\/\/[^?#]+\/-?\/?issues\/\d+)$/i, (address) => address],
  [/^(https?:\/\/[^?#]+\/-\/merge_requests\/\d+)$/i, (address) => address],
  [/^(https?:\/\/[^?#]+\/view\.php\?id=\d+)$/i, (address) => address],
  [/^(https?:\/\/[^?#]+\/ticket\/\d+)$/i, (address) => address],
  [/^(https?:\/\/(?:[^/]*\.)?sourceforge\.net\/tracker\/[^#]*)$/i, (address) => address],
  [/^(https?:\/\/(?:[^/]*\.)?sourceforge\.net\/p\/[^/]+\/[^/]+\/\d+\/?)$/i, (address) => address],
  [/^(https?:\/\/rt\.[^?#]+\/Public\/Bug\/Display\.html\?id=\d+)$/i, (address) => address],
];

const MAX_ADDRESS_LENGTH = 255;
/** Of a URL in a request, in characters: matching takes time that is quadratic in its length. */
const MAX_GIVEN_LENGTH = 2_000;

/**
 * Reads one `see_also`: an address, or a single word, which is an id or alias.
 *
 * @param base address of this deployment, as `https://bugs.example.org/`
 * @returns the address of a bug elsewhere, or a bug of this deployment, by id or alias
 */
export function readSeeAlso(given: string, base: string): { url: string } | { bug: string } {
  const text = given.trim();
  if (/^\w+$/.test(text)) return { bug: text };
  if (text.length > MAX_GIVEN_LENGTH) throw errors.seeAlsoInvalid(text);
  const local = localBugId(text, base);
  if (local !== undefined) return { bug: String(local) };
  for (const [pattern, address] of TRACKERS) {
    const parts = pattern.exec(text);
    const url = parts === null ? '' : address(...parts.slice(1));
    if (url !== '' && url.length <= MAX_ADDRESS_LENGTH) return { url };
  }
  throw errors.seeAlsoInvalid(text);
}

/** The address of a bug of this deployment. */
export const bugUrl = (base: string, id: number): string => `${base}show_bug.cgi?id=${id}`;

/**
 * The id of the bug of this deployment that an address leads to; another address: undefined. As in Bugzilla, the scheme
 * does not matter, nor the case of the host.
 */
export function localBugId(url: string, base: string): number | undefined {
  const [, page, id] = SHOW_BUG.exec(url) ?? [];
  const isLocal = page !== undefined && pageOf(page) === pageOf(`${base}show_bug.cgi`);
  return isLocal ? Number(id) : undefined;
}

function pageOf(url: string): string | undefined {
  const parsed = URL.parse(url.replace(/^http:/i, 'https:'));
  return parsed === null ? undefined : `${parsed.host}${parsed.pathname}`;
}
