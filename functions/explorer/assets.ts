/** A file that the explorer serves. */
export interface Asset {
  /** in addresses, and beside the function's bundle */
  name: string;
  /** where the project has it */
  from: string;
  contentType: string;
}

const text = (kind: string) => `text/${kind}; charset=UTF-8`;

/** The page itself; its references to the other assets are filled in. */
export const PAGE: Asset = {
  name: 'explorer.html',
  from: 'functions/explorer/page/explorer.html',
  contentType: text('html'),
};

/** Files under `/explorer/`. */
export const FILES: readonly Asset[] = [
  {
    name: 'explorer.css',
    from: 'functions/explorer/page/explorer.css',
    contentType: text('css'),
  },
  {
    name: 'explorer.js',
    from: 'functions/explorer/page/explorer.js',
    contentType: text('javascript'),
  },
  {
    name: 'swagger-ui.css',
    from: 'node_modules/swagger-ui-dist/swagger-ui.css',
    contentType: text('css'),
  },
  {
    name: 'swagger-ui-bundle.js',
    from: 'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
    contentType: text('javascript'),
  },
  { name: 'README.md', from: 'README.md', contentType: text('plain') },
  { name: 'deploying.md', from: 'infra/README.md', contentType: text('plain') },
];

/** Everything that the explorer serves: what the stack packs up, and the local gateway reads where it is. */
export const ASSETS: readonly Asset[] = [PAGE, ...FILES];
