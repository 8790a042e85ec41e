import { isTrue } from '../../base/text.ts';

/** The parameters of a search: the texts that came under each name. */
export type SearchParameters = ReadonlyMap<string, readonly string[]>;

/** The text of a parameter that takes one; absent: ''. */
export const textOf = (parameters: SearchParameters, name: string): string =>
  parameters.get(name)?.at(-1) ?? '';

/** Whether a parameter means true. */
export const isSet = (parameters: SearchParameters, name: string): boolean =>
  isTrue(textOf(parameters, name));

/** The numbers of the parameters that a pattern names, in their order. */
export function numbersOf(parameters: SearchParameters, pattern: RegExp): string[] {
  return [...parameters.keys()]
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));
}

/** Names that fields had before, which parameters and charts may still use, with those of now. */
export const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['attachments.thedata', 'attach_data.thedata'],
  ['changedin', 'days_elapsed'],
  ['long_desc', 'longdesc'],
  ['tags', 'tag'],
]);
