import manifest from '../package.json' with { type: 'json' };

/** Bugless's own version. */
export const VERSION: string = manifest.version;
