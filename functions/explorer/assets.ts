import type { SourceAsset } from '../../lib/http/routes.ts';

/** A file that the explorer serves. */
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

const file = (source: string, type: keyof typeof TYPES, name = source.replace(/^.*\//, '')): ServedAsset => ({
  name,
  source,
  contentType: `${TYPES[type]}; charset=UTF-8`,
});

const PAGES = 'functions/explorer/pages';
const SWAGGER_UI = 'node_modules/swagger-ui-dist';

/** The template of the pages for readers, in which `{{name}}` is the URL of the file `name`. */
export const BUG_PAGE = file(`${PAGES}/page.html`, 'html');
/** The template of the API explorer. */
export const API_PAGE = file(`${PAGES}/api.html`, 'html');

/** The icon of all pages. */
export const ICON = file(`${PAGES}/icon.svg`, 'svg');

/** The modules of the pages, without `main`, which imports them. */
const NAMES =
  `admin admin-audit admin-people admin-products attachment-form attachments bug bug-fields columns conditions drafts edit elements enter flag-inputs form help in-place
  inputs keys labels list mass-change operation-form preferences problems query rest rights saved-searches search-line sign-in similar timeline uploads`.split(
    /\s+/,
  );

/** The modules of the pages for readers, by the specifier that other modules import. */
export const MODULES: Readonly<Record<string, ServedAsset>> = {
  preact: file('node_modules/preact/dist/preact.mjs', 'js'),
  htm: file('node_modules/htm/dist/htm.module.js', 'js'),
  ...Object.fromEntries(NAMES.map((name) => [`./explorer/${name}.js`, file(`${PAGES}/${name}.js`, 'js')])),
};

/** The files that the pages for readers refer to. */
const PAGE_FILES: readonly ServedAsset[] = [
  ...Object.values(MODULES),
  ICON,
  file(`${PAGES}/main.js`, 'js'),
  file(`${PAGES}/page.css`, 'css'),
];

/** What a function that serves the page of a bug has beside it. */
export const BUG_PAGE_ASSETS: readonly ServedAsset[] = [BUG_PAGE, ...PAGE_FILES];

/** The files under `/explorer/`. */
export const FILES: readonly ServedAsset[] = [
  ...PAGE_FILES,
  file(`${PAGES}/api.css`, 'css'),
  file(`${PAGES}/api.js`, 'js'),
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

/** Every file that the explorer serves. */
export const ASSETS: readonly ServedAsset[] = [BUG_PAGE, API_PAGE, ...FILES];
