import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { productIndexPartition } from '../../lib/table/keys.ts';
import { BUG_PAGE_ASSETS } from '../explorer/assets.ts';
import { IDEMPOTENCY, PRODUCTS, SEARCH_INDEX, TAGS, tablePermissions, WORDS } from '../table-permissions.ts';

const BUGS = ['BUG#*', 'ALIAS#*', 'COMMENT#*'];
/** Data of attachments, which only searches for it read. */
const DATA = 'ATTACHMENTDATA#*';

/** The bug operations: read, search, create, change; histories and fields. */
export const endpointGroup = {
  name: 'bugs',
  routes: [
    route('GET', '/rest/bug', 'searchBugs', 'public'),
    route('GET', '/rest/bug/', 'getBugs', 'public'),
    route('GET', '/rest/bug/{id_or_alias}', 'getBugs', 'public'),
    route('GET', '/rest/bug/possible_duplicates', 'possibleDuplicates', 'public'),
    route('POST', '/rest/bug', 'createBug', 'user'),
    route('PUT', '/rest/bug/{id_or_alias}', 'updateBugs', 'user'),
    route('GET', '/rest/bug/{id_or_alias}/history', 'getHistory', 'public'),
    route('GET', '/rest/bugless/list.csv', 'listCsv', 'public'),
    route('GET', '/rest/bugless/requests', 'getRequests', 'public'),
    route('GET', '/rest/bugless/request.csv', 'requestsCsv', 'public'),
    route('GET', '/rest/bugless/list.atom', 'listAtom', 'public'),
    route('GET', '/rest/bugless/list.html', 'listHtml', 'public'),
    route('GET', '/rest/bugless/bug.xml', 'bugXml', 'public'),
    route('GET', '/show_bug.cgi', 'getBugPage', 'none'),
    route('GET', '/show_activity.cgi', 'getActivity', 'public'),
    route('GET', '/config.cgi', 'getConfiguration', 'always public'),
    route('GET', '/rest/field/bug', 'getFields', 'public'),
    route('GET', '/rest/field/bug/{id_or_name}', 'getFields', 'public'),
    route('GET', '/rest/field/bug/{name}/values', 'getFieldValues', 'public'),
    route('GET', '/rest/field/bug/{name}/{product_id}/values', 'getFieldValues', 'public'),
  ],
  permissions: tablePermissions({
    read: [
      ...BUGS,
      DATA,
      ...SEARCH_INDEX,
      WORDS,
      ...TAGS,
      ...PRODUCTS,
      'FIELDVALUES',
      'KEYWORDS',
      'CLASSIFICATION#*',
      ...['GROUP#*', 'GROUPID#*', 'USER#*', 'USERID#*', 'USERINDEX', 'SAVEDSEARCHES#*', 'SHARERS#*'],
      'LASTVISIT#*',
      IDEMPOTENCY,
    ],
    batchWrite: [WORDS],
    writes: ['put', 'update', 'delete', 'check'],
    write: [
      ...BUGS,
      ...SEARCH_INDEX,
      ...TAGS,
      IDEMPOTENCY,
      // Checked in transactions, never written.
      productIndexPartition,
      'FIELDVALUES',
      ...['COUNTER#bug', 'COUNTER#comment', 'COUNTER#flag'],
    ],
  }),
  assets: BUG_PAGE_ASSETS,
  isOptional: true,
} as const satisfies EndpointGroup;
