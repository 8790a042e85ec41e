import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Asset, FILES, PAGE } from './assets.ts';

/** A file with what its content hashes to, for ETags and addresses. */
export interface ServedFile {
  contentType: string;
  content: string;
  version: string;
}

const BESIDE_BUNDLE = import.meta.dirname;
const PROJECT = join(import.meta.dirname, '../..');

/** The explorer's files, each read when it is first asked for. */
export function openFiles() {
  const isBundled = existsSync(join(BESIDE_BUNDLE, PAGE.name));
  const pathOf = ({ name, from }: Asset) => (isBundled ? join(BESIDE_BUNDLE, name) : join(PROJECT, from));
  const read = new Map<string, Promise<ServedFile>>();

  async function open(asset: Asset): Promise<ServedFile> {
    const content = await readFile(pathOf(asset), 'utf8');
    return served(asset, asset === PAGE ? await withVersions(content) : content);
  }

  /** Gives the addresses of files their versions: `{{explorer.js}}` becomes `explorer/explorer.js?v=…`. */
  async function withVersions(page: string): Promise<string> {
    let whole = page;
    for (const { name } of FILES) {
      if (!whole.includes(`{{${name}}}`)) continue;
      const file = await byName(name);
      whole = whole.replaceAll(`{{${name}}}`, `explorer/${name}?v=${file?.version}`);
    }
    return whole;
  }

  function byName(name: string): Promise<ServedFile> | undefined {
    const asset = FILES.find((one) => one.name === name);
    if (asset === undefined) return undefined;
    const known = read.get(name) ?? open(asset);
    read.set(name, known);
    return known;
  }

  return {
    /** A file by its name; there is none: undefined. */
    byName,
    page: () => open(PAGE),
  };
}

const served = ({ contentType }: Asset, content: string): ServedFile => ({
  contentType,
  content,
  version: hash('sha1', content, 'base64url'),
});
