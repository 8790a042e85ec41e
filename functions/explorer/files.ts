import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, MODULES, type ServedAsset } from './assets.ts';

/** A file with its content. */
export interface ServedFile {
  contentType: string;
  content: string;
  /** hash of the content, for the ETag and the URL */
  version: string;
}

/** A page with the source of its import map for the content security policy. */
export interface ServedPage extends ServedFile {
  /** `'sha256-…'` of the import map, which is the only inline script */
  importMapSource: string;
}

const BUNDLE_FOLDER = import.meta.dirname;
const PROJECT = join(import.meta.dirname, '../..');

/** What readers without JavaScript get of a page, as HTML. */
export interface PageContent {
  title: string;
  /** further elements of the head */
  head?: string;
  main?: string;
}

/** Opens the explorer's files. Each is read with its first request and then kept. */
export function openFiles() {
  const pathOf = ({ name, source }: ServedAsset) => {
    const bundled = join(BUNDLE_FOLDER, name);
    return existsSync(bundled) ? bundled : join(PROJECT, source);
  };
  const read = new Map<string, Promise<ServedFile>>();

  const open = async (asset: ServedAsset): Promise<ServedFile> =>
    toServedFile(asset, await readFile(pathOf(asset), 'utf8'));

  function byName(name: string): Promise<ServedFile> | undefined {
    const asset = FILES.find((file) => file.name === name);
    if (asset === undefined) return undefined;
    const file = read.get(name) ?? open(asset);
    read.set(name, file);
    return file;
  }

  const urlOf = async (name: string) => `explorer/${name}?v=${(await byName(name))?.version}`;

  async function importMap(): Promise<string> {
    const imports = Object.entries(MODULES).map(async ([specifier, { name }]) => [
      specifier,
      `./${await urlOf(name)}`,
    ]);
    return JSON.stringify({ imports: Object.fromEntries(await Promise.all(imports)) });
  }

  return {
    /** The file of this name under `/explorer/`; undefined when there is none. */
    byName,

    /** A page: its template with URLs that have the versions of the files, with the import map, and the content. */
    async page(asset: ServedAsset, { title, head = '', main = '' }: PageContent): Promise<ServedPage> {
      const map = await importMap();
      let page = (await readFile(pathOf(asset), 'utf8')).replace('"{{importmap}}"', map);
      for (const { name } of FILES) {
        if (page.includes(`{{${name}}}`)) page = page.replaceAll(`{{${name}}}`, await urlOf(name));
      }
      // Last, and by functions, so that nothing in the content is taken for a placeholder.
      page = page.replace(/\{\{(title|head|main)\}\}/g, (_, name) =>
        name === 'title' ? title : name === 'head' ? head : main,
      );
      return { ...toServedFile(asset, page), importMapSource: `'sha256-${hash('sha256', map, 'base64')}'` };
    },
  };
}

const toServedFile = ({ contentType }: ServedAsset, content: string): ServedFile => ({
  contentType,
  content,
  version: hash('sha1', content, 'base64url'),
});
