import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, PAGE, type ServedAsset } from './assets.ts';

/** A file with its content. */
export interface ServedFile {
  contentType: string;
  content: string;
  /** hash of the content, for the ETag and the URL */
  version: string;
}

const BUNDLE_FOLDER = import.meta.dirname;
const PROJECT = join(import.meta.dirname, '../..');

/** Opens the explorer's files. Each is read with its first request and then kept. */
export function openFiles() {
  const isBundled = existsSync(join(BUNDLE_FOLDER, PAGE.name));
  const pathOf = ({ name, source }: ServedAsset) =>
    isBundled ? join(BUNDLE_FOLDER, name) : join(PROJECT, source);
  const read = new Map<string, Promise<ServedFile>>();

  async function open(asset: ServedAsset): Promise<ServedFile> {
    const content = await readFile(pathOf(asset), 'utf8');
    return toServedFile(asset, asset === PAGE ? await fillInUrls(content) : content);
  }

  /** Replaces placeholders by versioned URLs: `{{explorer.js}}` becomes `explorer/explorer.js?v=…`. */
  async function fillInUrls(template: string): Promise<string> {
    let page = template;
    for (const { name } of FILES) {
      if (!page.includes(`{{${name}}}`)) continue;
      const file = await byName(name);
      page = page.replaceAll(`{{${name}}}`, `explorer/${name}?v=${file?.version}`);
    }
    return page;
  }

  function byName(name: string): Promise<ServedFile> | undefined {
    const asset = FILES.find((file) => file.name === name);
    if (asset === undefined) return undefined;
    const file = read.get(name) ?? open(asset);
    read.set(name, file);
    return file;
  }

  return {
    /** The file of this name under `/explorer/`; undefined when there is none. */
    byName,
    /** The page itself. */
    page: () => open(PAGE),
  };
}

const toServedFile = ({ contentType }: ServedAsset, content: string): ServedFile => ({
  contentType,
  content,
  version: hash('sha1', content, 'base64url'),
});
