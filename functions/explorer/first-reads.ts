import { type Parameters, queryText } from '../../lib/base/parameters.ts';

/** Bugs of a list as the start page, and the page of a list, read them. */
const ROW =
  'id%2Cpriority%2Csummary%2Ckeywords%2Cstatus%2Cresolution%2Cis_open%2Cproduct%2Ccomponent%2Clast_change_time%2Cflags';
const LISTED =
  'id%2Cpriority%2Csummary%2Ckeywords%2Cstatus%2Cresolution%2Cis_open%2Cproduct%2Ccomponent%2Cseverity%2Cassigned_to%2Cassigned_to_detail.real_name%2Clast_change_time';
const ownList = (conditions: string, limit: number) =>
  `bug?${conditions}&list_order=changeddate+DESC&limit=${limit}&count_total=1&include_fields=${ROW}`;

/** Parameters of a list that its page reads in its own way, or not at all. */
const NOT_PLAIN =
  /^(quicksearch|limit|offset|query_format|columnlist|list_id|ctype|title|.*_fields|.*(api_key|token|login|password))$/;

const PRODUCTS = 'product?type=accessible&include_fields=';

/** What a page reads first, by its path and tab, as its modules ask for it; `of` gives a parameter of the address, '' without it. */
const READS: Readonly<Record<string, (of: (name: string) => string, all: Parameters) => string[]>> = {
  '/': () => [
    // What is shown first is read first: browsers open six connections.
    ownList('f1=requestees.login_name&o1=equals&v1=%25user%25', 8),
    ownList('assigned_to=%25user%25&resolution=---', 8),
    ownList('creator=%25user%25&resolution=---', 5),
    'whoami',
    `${PRODUCTS}name,description`,
    'bugless/saved_searches',
  ],
  '/buglist.cgi': (of, all) => {
    const isPlain = [...all.keys()].every((name) => !NOT_PLAIN.test(name));
    const given = new URLSearchParams(queryText(all, (name) => name !== 'order'));
    const conditions = new URLSearchParams([...given].filter(([, value]) => value !== ''));
    const shown = `list_order=${of('order')}&limit=100&offset=0&count_total=1&include_fields=${LISTED}`;
    return ['whoami', ...(isPlain ? [`bug?${conditions}&${shown}`] : [])];
  },
  '/show_bug.cgi': (of) => [
    'whoami',
    ...(/^\d+$/.test(of('id'))
      ? [
          `bug/${of('id')}?include_fields=_default,bugless_version,history,attachments`,
          `bug/${of('id')}/comment?order=newest&limit=50`,
          `bug_user_last_visit/${of('id')}`,
        ]
      : []),
  ],
  '/enter_bug.cgi': (of) =>
    of('product') === ''
      ? ['whoami']
      : [
          `whoami?product=${of('product')}`,
          `product?names=${of('product')}&include_fields=name%2Ccomponents%2Cversions%2Cmilestones%2Chas_unconfirmed%2Cdefault_milestone%2Cdescription_template`,
          'field/bug',
        ],
  '/request.cgi': (_, all) => [
    'whoami',
    ...([...all].length === 0
      ? ['bugless/requests?requester=%25user%25&requestee=%25user%25&do_union=1']
      : []),
  ],
  '/page.cgi': () => ['whoami'],
  '/query.cgi': () => ['whoami', `${PRODUCTS}name,components.name`, 'field/bug'],
  '/userprefs.cgi': () => ['whoami', 'bugless/preferences'],
  '/userprefs.cgi watch': () => ['whoami', 'bugless/preferences', `${PRODUCTS}name,components.name`],
  '/userprefs.cgi saved-searches': () => ['whoami', 'bugless/saved_searches'],
  '/userprefs.cgi apikey': () => ['whoami', 'bugless/api_keys'],
  '/admin': (of) => [
    'whoami',
    of('product') === '' ? `${PRODUCTS}id,name,is_active,description` : `product?ids=${of('product')}`,
  ],
  '/admin people': (of) =>
    of('user') === ''
      ? ['whoami']
      : [
          'whoami',
          `user?names=${of('user')}&include_fields=id%2Cname%2Creal_name%2Cemail%2Ccan_login%2Cgroups%2Cemail_enabled%2Clogin_denied_text%2Cduties`,
          'group',
        ],
  '/admin groups': (of) => ['whoami', ...(of('group') === '' ? ['group'] : [])],
  '/admin audit': () => ['whoami'],
  '/admin keywords': () => ['whoami', 'bugless/keyword'],
  '/admin fields': () => ['whoami', 'field/bug'],
};

/** The paths below `rest/` of what a page reads first, so that its document starts them beside its modules. */
export function firstReads(path: string, tab = '', parameters: Parameters): readonly string[] {
  const of = (name: string) => queryText(parameters, (one) => one === name).replace(/^[^=]*=|&.*/g, '');
  return (READS[`${path} ${tab}`] ?? READS[path])?.(of, parameters) ?? [];
}
