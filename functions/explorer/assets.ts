import type { SourceAsset } from '../../lib/http/routes.ts';

/** A file of the explorer. */
export interface ServedAsset extends SourceAsset {
  contentType: string;
}

const TYPES = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  md: 'text/plain',
  svg: 'image/svg+xml',
} as const;

const typed = (type: keyof typeof TYPES) => `${TYPES[type]}; charset=UTF-8`;

const file = (source: string, type: keyof typeof TYPES, name = source.replace(/^.*\//, '')): ServedAsset => ({
  name,
  source,
  contentType: typed(type),
});

const PAGES = 'functions/explorer/pages';
const SWAGGER_UI = 'node_modules/swagger-ui-dist';

/** The template of the pages for readers, in which `{{name}}` is the URL of the file `name`. */
export const BUG_PAGE = file(`${PAGES}/page.html`, 'html');
/** The template of the API explorer. */
export const API_PAGE = file(`${PAGES}/api.html`, 'html');

/** The script that stands in the page of bugs. */
export const START = file(`${PAGES}/start.js`, 'js');

/** The icon of all pages. */
export const ICON = file(`${PAGES}/icon.svg`, 'svg');

/** What is served as one script: modules, each after those that it imports. `main` has what every page needs; a page needs one more. */
const SCRIPTS = {
  main: 'preact htm rest labels elements main',
  home: 'table home',
  list: 'search-line conditions table inputs facets list',
  bug: 'rights inputs form prose draft-form attachments comments timeline composer fields bug',
  'bug-fields': 'bug-fields',
  edit: 'bug-fields flag-inputs edit',
  'attachment-form': 'bug-fields flag-inputs operation-form attachment-form',
  bulk: 'inputs form bug-fields bulk',
  enter: 'inputs form prose draft-form bug-fields flag-inputs similar enter',
  query: 'conditions charts bug-fields inputs query',
  help: 'help',
  requests: 'table requests',
  'saved-searches': 'inputs form operation-form edit-table search-line saved-searches',
  'sign-in': 'inputs form sign-in',
  preferences: 'inputs form operation-form preferences',
  keys: 'keys',
  admin: 'inputs form operation-form edit-table admin-products admin-people admin-values admin',
} as const;

/** The scripts of a page beside `main`, by its path and its tab: they are named in the page, so that they are loaded at once. */
const SCRIPTS_OF_PAGE: Readonly<Record<string, readonly (keyof typeof SCRIPTS)[]>> = {
  '/': ['home'],
  '/show_bug.cgi': ['bug'],
  '/buglist.cgi': ['list'],
  '/enter_bug.cgi': ['enter'],
  '/query.cgi': ['query'],
  '/request.cgi': ['requests'],
  '/page.cgi': ['help'],
  '/userprefs.cgi': ['preferences'],
  '/userprefs.cgi saved-searches': ['preferences', 'saved-searches'],
  '/userprefs.cgi apikey': ['preferences', 'keys'],
  '/admin': ['admin'],
};

/** The scripts that a page needs beside `main`. */
export const scriptsOf = (path: string, tab = ''): readonly string[] =>
  SCRIPTS_OF_PAGE[`${path} ${tab}`] ?? SCRIPTS_OF_PAGE[path] ?? [];

const LIBRARIES: Readonly<Record<string, ServedAsset>> = {
  preact: file('node_modules/preact/dist/preact.mjs', 'js'),
  htm: file('node_modules/htm/dist/htm.module.js', 'js'),
};

const moduleOf = (name: string) => LIBRARIES[name] ?? file(`${PAGES}/${name}.js`, 'js');

/** The names of the modules of each script, by its name. */
export const MODULES_OF_SCRIPT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SCRIPTS).map(([name, modules]) => [`${name}.js`, modules.split(' ')]),
);

/** The modules by their names. */
export const MODULES: ReadonlyMap<string, ServedAsset> = new Map(
  [...new Set([...MODULES_OF_SCRIPT.values()].flat())].map((name) => [name, moduleOf(name)]),
);

/** What a function that serves the page of a bug has beside it. */
export const BUG_PAGE_ASSETS: readonly ServedAsset[] = [
  BUG_PAGE,
  START,
  ...MODULES.values(),
  ICON,
  file(`${PAGES}/design.css`, 'css'),
];

/** The files under `/explorer/`, but scripts, which are joined. */
export const FILES: readonly ServedAsset[] = [
  ICON,
  file(`${PAGES}/design.css`, 'css'),
  file(`${PAGES}/api.css`, 'css'),
  file(`${PAGES}/api.js`, 'js'),
  file(`${PAGES}/rest.js`, 'js'),
  file(`${SWAGGER_UI}/swagger-ui.css`, 'css'),
  file(`${SWAGGER_UI}/swagger-ui-bundle.js`, 'js'),
  file('README.md', 'md'),
  file('functions/README.md', 'md', 'interface.md'),
  file('functions/bugs/README.md', 'md', 'bugs.md'),
  file('functions/attachments/README.md', 'md', 'attachments.md'),
  file('functions/administration/README.md', 'md', 'administration.md'),
  file('functions/account/README.md', 'md', 'account.md'),
  file('infra/README.md', 'md', 'deploying.md'),
  file('infra/OPERATING.md', 'md', 'operating.md'),
  file('infra/MIGRATING.md', 'md', 'migrating.md'),
];

/** The type of scripts. */
export const SCRIPT_TYPE = typed('js');

/** Every file that the explorer reads, once: some are modules, and files, too. */
export const ASSETS: readonly ServedAsset[] = [
  ...new Map(
    [BUG_PAGE, START, API_PAGE, ...MODULES.values(), ...FILES].map((one) => [one.name, one]),
  ).values(),
];
