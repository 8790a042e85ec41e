import * as z from 'zod/mini';
import { optional, parseParameters, text } from '../../lib/base/parameters.ts';
import { isVisible } from '../../lib/bugs/permissions.ts';
import { xmlText } from '../../lib/bugs/show/xml.ts';
import { errors } from '../../lib/errors.ts';
import { type BugzillaRequest, baseAddress } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { anonymous } from '../../lib/people/caller.ts';
import { placeOf } from '../../lib/products/place.ts';
import { withDeadline } from '../../lib/table/retry.ts';
import type { PageContent } from '../explorer/files.ts';
import { pageOfBug, redirectToFormat } from '../explorer/get-pages.ts';
import { readKnown } from './present-bugs.ts';
import type { BugServices } from './services.ts';

const query = z.object({ id: optional(text) });

/** How long the page waits for what it shows without scripts, in ms. The scripts read the bug, too. */
const TIMEOUT_MS = 2_000;
/** Characters of a description that previews show. */
const PREVIEW_LENGTH = 200;

/**
 * Returns the page of a bug. Of a public one it has title, status and description as HTML, for readers without JavaScript:
 * previews of chats, search engines. Scripts fill the page, with what the reader's key may read. functions/bugs/README.md 2.6
 */
export const getBugPage: Endpoint<BugServices> = async (request, services) => {
  if (services.settings.LEFT_OUT_GROUPS.includes('explorer'))
    throw errors.routeUnknown(request.method, request.path);
  const elsewhere = redirectToFormat(request);
  if (elsewhere !== undefined) return elsewhere;
  const reading = withDeadline(TIMEOUT_MS, () => contentOf(request, services));
  // The scripts say what cannot be read.
  return pageOfBug(request, services, await reading.catch(() => undefined));
};

/** What everyone may read of a bug; undefined: nothing. A restricted bug and a missing one take the same calls. */
async function contentOf(
  request: BugzillaRequest,
  { bugs, comments, products, settings }: BugServices,
): Promise<PageContent | undefined> {
  const { id: name } = parseParameters(query, request.parameters);
  if (!name || settings.REQUIRE_LOGIN) return undefined;
  const [id = 0] = await bugs.idsOf([name]);
  const bug = (await bugs.byIds([id])).get(id);
  if (bug === undefined || !isVisible(bug, anonymous)) return undefined;
  const [first, known] = await Promise.all([comments.description(id), readKnown([bug], products)]);
  const { product, component } = placeOf(bug, known.get(bug.product_id));
  const description = first === undefined || first.is_private ? '' : first.text;
  const alias = bug.aliases.length === 0 ? '' : `(${bug.aliases.join(', ')}) `;
  const title = xmlText(`${id} – ${alias}${bug.summary}`);
  const state = xmlText([bug.status, bug.resolution].filter(Boolean).join(' '));
  const preview = xmlText(shortened(description) || `${bug.status}, ${product}, ${component}`);
  const address = xmlText(`${baseAddress(request)}show_bug.cgi?id=${id}`);
  return {
    title,
    head: [
      `<link rel="canonical" href="${address}">`,
      `<meta name="description" content="${preview}">`,
      '<meta property="og:type" content="website">',
      '<meta property="og:site_name" content="Bugless">',
      `<meta property="og:title" content="${title}">`,
      `<meta property="og:description" content="${preview}">`,
      `<meta property="og:url" content="${address}">`,
    ].join('\n    '),
    main: `<h1>${title}</h1><p>${state}, ${xmlText(product)}, ${xmlText(component)}</p><pre>${xmlText(description)}</pre>`,
  };
}

function shortened(description: string): string {
  const line = description.replaceAll(/\s+/g, ' ').trim();
  return line.length <= PREVIEW_LENGTH ? line : `${line.slice(0, PREVIEW_LENGTH - 1).toWellFormed()}…`;
}
