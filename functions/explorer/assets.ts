import type { Asset } from '../../lib/http/routes.ts';

/** A file that the explorer serves. */
export interface ServedAsset extends Asset {
  contentType: string;
}

const text = (subtype: string) => `text/${subtype}; charset=UTF-8`;

const PAGE_FOLDER = 'functions/explorer/page';
const SWAGGER_UI = 'node_modules/swagger-ui-dist';

/** The template of the page, in which `{{name}}` is the URL of the file `name`. */
export const PAGE: ServedAsset = {
  name: 'explorer.html',
  source: `${PAGE_FOLDER}/explorer.html`,
  contentType: text('html'),
};

/** The files under `/explorer/`. */
export const FILES: readonly ServedAsset[] = [
  { name: 'explorer.css', source: `${PAGE_FOLDER}/explorer.css`, contentType: text('css') },
  { name: 'explorer.js', source: `${PAGE_FOLDER}/explorer.js`, contentType: text('javascript') },
  { name: 'swagger-ui.css', source: `${SWAGGER_UI}/swagger-ui.css`, contentType: text('css') },
  {
    name: 'swagger-ui-bundle.js',
    source: `${SWAGGER_UI}/swagger-ui-bundle.js`,
    contentType: text('javascript'),
  },
  { name: 'README.md', source: 'README.md', contentType: text('plain') },
  { name: 'deploying.md', source: 'infra/README.md', contentType: text('plain') },
];

/** Every file that the explorer serves. */
export const ASSETS: readonly ServedAsset[] = [PAGE, ...FILES];
