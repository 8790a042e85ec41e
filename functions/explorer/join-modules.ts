/** A module of the pages: its name, as others import it, and its text. */
export interface PageModule {
  name: string;
  text: string;
}

const IMPORT = /^import\s+(\w+|\{[^}]*\})\s+from\s+'(?:\.\/)?([\w-]+)(?:\.js)?';\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;
/** As libraries export, whose code is in one line. */
const EXPORT_LIST = /export\{([^}]*)\};?/;
const EXPORT_DEFAULT = /export default (?=function)/;

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
export function joinModules(modules: readonly PageModule[], isFirst: boolean): string {
  const joined = modules.map(asFunction);
  const names = joined.at(-1)?.exported ?? [];
  const last = modules.at(-1)?.name ?? '';
  const begin = isFirst ? 'export const $ = {};\n' : "import { $ } from './main.js';\n";
  const end = names.length === 0 ? '' : `export const { ${names.join(', ')} } = $['${last}'];\n`;
  return begin + joined.map(({ code }) => code).join('') + end;
}
