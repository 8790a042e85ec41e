import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { xmlText } from '../../lib/bugs/show/xml.ts';
import { FILES, MODULES, MODULES_OF_SCRIPT, SCRIPT_TYPE, type ServedAsset, START } from './assets.ts';

/** A file with its content. */
export interface ServedFile {
  contentType: string;
  content: string;
  /** hash of the content, for the ETag and the URL */
  version: string;
}

/** A page with the sources of its inline scripts for the content security policy. */
export interface ServedPage extends ServedFile {
  /** `'sha256-…'` of the import map, and of what starts the first requests */
  inlineSources: string;
}

const BUNDLE_FOLDER = import.meta.dirname;
const PROJECT = joinPath(import.meta.dirname, '../..');

/** What readers without JavaScript get of a page, as HTML. */
export interface PageContent {
  title: string;
  /** further elements of the head */
  head?: string;
  /** the scripts that are loaded beside `main.js` */
  scripts?: readonly string[];
  /** the paths of what it reads first, below `rest/` */
  reads?: readonly string[];
  main?: string;
}

/** Opens the explorer's files. Each is read with its first request and then kept. */
export function openFiles() {
  const pathOf = ({ name, source }: ServedAsset) => {
    const bundled = joinPath(BUNDLE_FOLDER, name);
    return existsSync(bundled) ? bundled : joinPath(PROJECT, source);
  };
  const read = new Map<string, Promise<ServedFile>>();

  const open = async (asset: ServedAsset): Promise<ServedFile> => {
    const text = await readFile(pathOf(asset), 'utf8');
    return toServedFile(asset, asset.name === 'design.css' ? text.replaceAll(STYLE_COMMENTS, '') : text);
  };

  async function join(names: readonly string[], isFirst: boolean): Promise<ServedFile> {
    const modules = await Promise.all(
      names.flatMap((name) => {
        const asset = MODULES.get(name);
        return asset === undefined ? [] : [readFile(pathOf(asset), 'utf8').then((text) => ({ name, text }))];
      }),
    );
    return toServedFile({ contentType: SCRIPT_TYPE }, joinModules(modules, isFirst));
  }

  function byName(name: string): Promise<ServedFile> | undefined {
    const asset = FILES.find((file) => file.name === name);
    const modules = MODULES_OF_SCRIPT.get(name);
    if (asset === undefined && modules === undefined) return undefined;
    const file =
      read.get(name) ?? (asset === undefined ? join(modules ?? [], name === 'main.js') : open(asset));
    read.set(name, file);
    return file;
  }

  const urlOf = async (name: string) => `explorer/${name}?v=${(await byName(name))?.version}`;

  async function importMap(): Promise<string> {
    const imports = ['rest.js', ...MODULES_OF_SCRIPT.keys()].map(async (name) => [
      `./explorer/${name}`,
      `./${await urlOf(name)}`,
    ]);
    return JSON.stringify({ imports: Object.fromEntries(await Promise.all(imports)) });
  }

  return {
    /** The file of this name under `/explorer/`; undefined when there is none. */
    byName,

    /** A page: its template with URLs that have the versions of the files, with the import map, and the content. */
    async page(
      asset: ServedAsset,
      { title, head = '', scripts = [], reads = [], main = '' }: PageContent,
    ): Promise<ServedPage> {
      const map = await importMap();
      const start = await readFile(pathOf(START), 'utf8');
      let page = (await readFile(pathOf(asset), 'utf8')).replace('"{{importmap}}"', () => map);
      page = page.replace('"{{start}}"', () => start);
      for (const name of [...FILES.map((file) => file.name), 'main.js']) {
        if (page.includes(`{{${name}}}`)) page = page.replaceAll(`{{${name}}}`, await urlOf(name));
      }
      const urls = await Promise.all(scripts.map((name) => urlOf(`${name}.js`)));
      const preload = urls.map((url) => `<link rel="modulepreload" href="${url}">`).join('');
      const given: Record<string, string> = { title, head, preload, reads: xmlText(reads.join(' ')), main };
      // Last, and by functions, so that nothing in the content is taken for a placeholder.
      page = page.replace(/\{\{(title|head|preload|reads|main)\}\}/g, (_, name) => given[name] ?? '');
      const sources = [map, start].map((script) => `'sha256-${hash('sha256', script, 'base64')}'`);
      return { ...toServedFile(asset, page), inlineSources: sources.join(' ') };
    },
  };
}

const toServedFile = ({ contentType }: Pick<ServedAsset, 'contentType'>, content: string): ServedFile => ({
  contentType,
  content,
  version: hash('sha1', content, 'base64url'),
});

/** A module of the pages: its name, as others import it, and its text. */
interface PageModule {
  name: string;
  text: string;
}

const IMPORT = /^import\s+(\w+|\{[^}]*\})\s+from\s+'(?:\.\/)?([\w-]+)(?:\.js)?';\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;
/** As libraries export, whose code is in one line. */
const EXPORT_LIST = /export\{([^}]*)\};?/;
const EXPORT_DEFAULT = /export default (?=function)/;

/** Comments of the design, which readers do not need. */
const STYLE_COMMENTS = /\s*\/\*[\s\S]*?\*\//g;

const asBinding = (names: string) => names.replaceAll(/\s+as\s+/g, ': ').replaceAll(/\s+/g, ' ');

/** A module as a function that is called once, and whose exports others find under its name. */
function asFunction({ name, text }: PageModule): { code: string; exported: string[] } {
  const exported: string[] = [];
  let result = '';
  const body = text
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n|^\s*\/\/.*\n?|^[ \t]+/gm, '')
    .replaceAll(IMPORT, (_, what: string, from: string) => {
      const bound = what.startsWith('{') ? asBinding(what) : `{ default: ${what} }`;
      return `const ${bound} = $['${from}'];\n`;
    })
    .replaceAll(EXPORT, (_, one: string) => {
      exported.push(one);
      return '';
    })
    .replace(EXPORT_LIST, (_, list: string) => {
      result = `return { ${list.replaceAll(/([\w$]+) as (\w+)/g, '$2: $1')} };`;
      return '';
    })
    .replace(EXPORT_DEFAULT, 'return { default: ');
  const isDefault = EXPORT_DEFAULT.test(text);
  const end = isDefault ? '};' : result || `return { ${exported.join(', ')} };`;
  return {
    code: `$['${name}'] ??= (() => {\n${body.trimEnd().replace(isDefault ? /;$/ : '', '')}\n${end}\n})();\n`,
    exported,
  };
}

/**
 * Joins modules, each after those that it imports, into one that exports what the last of them exports. Modules of the pages are
 * written so that their imports and exports stand at the beginning of lines.
 *
 * @param isFirst whether this one keeps the modules, which others find in it
 */
function joinModules(modules: readonly PageModule[], isFirst: boolean): string {
  const joined = modules.map(asFunction);
  const names = joined.at(-1)?.exported ?? [];
  const last = modules.at(-1)?.name ?? '';
  const begin = isFirst ? 'export const $ = {};\n' : "import { $ } from './main.js';\n";
  const end = names.length === 0 ? '' : `export const { ${names.join(', ')} } = $['${last}'];\n`;
  return begin + joined.map(({ code }) => code).join('') + end;
}
