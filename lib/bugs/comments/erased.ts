import { ownWords } from '../attachments/presenter.ts';

/** What stands in the place of the text of a comment that an administrator has erased. */
const ERASED_TEXT = '(This text was erased by an administrator.)';

/** Whether the text of a comment was erased; of one on an attachment the heading stays. */
export const isErased = ({ text, attachment_id }: { text: string; attachment_id: number | null }): boolean =>
  ownWords(text, attachment_id) === ERASED_TEXT;

/** The text of a comment when it is erased. */
export function erasedText({ text, attachment_id }: { text: string; attachment_id: number | null }): string {
  const own = ownWords(text, attachment_id);
  const heading = text.slice(0, text.length - own.length).trimEnd();
  return heading === '' ? ERASED_TEXT : `${heading}\n\n${ERASED_TEXT}`;
}
