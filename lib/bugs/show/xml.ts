/** Characters that XML 1.0 does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const INVALID = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;', '\r': '&#13;' },
};

/** A text in XML: escaped, without characters that XML does not have. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(INVALID, '')
    .replaceAll(/[&<>"'\r]/g, (character) => ENTITIES[character] ?? '');

/** An element with a text. @param attributes undefined ones are left out */
export function element(
  name: string,
  text: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  return `${openTag(name, attributes)}${xmlText(text)}</${name}>`;
}

/** An element without content. */
export const emptyTag = (name: string, attributes: Parameters<typeof openTag>[1]): string =>
  openTag(name, attributes).replace(/>$/, '/>');

/** The beginning of an element. */
export function openTag(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  return `<${name}${given.join('')}>`;
}
