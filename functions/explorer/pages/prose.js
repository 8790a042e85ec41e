import { BugLink, html, WebLink } from './elements.js';

const WEB = /https?:\/\/(?:\([^\s<>"()]*\)|[^\s<>"()])*(?:\([^\s<>"()]*\)|[^\s<>"().,;:!?'\]}])/;
const REFERENCES = /\bbug\s+#?(\d+)(?:,?\s+comment\s+#?(\d+))?|\bcomment\s+#?(\d+)|\battachment\s+#?(\d+)/;
const LINKS = new RegExp(`${WEB.source}|${REFERENCES.source}`, 'gi');

/** The ids of the bugs that texts refer to. */
export const referredBugs = (texts) =>
  texts.flatMap((text) => [...text.matchAll(LINKS)].flatMap(([, id]) => (id ? [Number(id)] : [])));

/** A line or more with links for addresses, `bug 12`, `comment 3` and `attachment 5`, which may be another bug's. */
function withLinks(text, { bugs, attachments = [] }) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(LINKS)) {
    const [whole, bug, commentOfBug, comment, attachment] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (bug)
      parts.push(html`<${BugLink} id=${Number(bug)} comment=${commentOfBug} bugs=${bugs}>${whole}<//>`);
    else if (comment) parts.push(html`<a href=${`#c${comment}`}>${whole}</a>`);
    else if (attachment) {
      const isOwn = attachments.some(({ id }) => id === Number(attachment));
      parts.push(html`<a href=${isOwn ? `#a${attachment}` : `attachment.cgi?id=${attachment}`}>${whole}</a>`);
    } else parts.push(html`<${WebLink} url=${whole} />`);
  }
  return [...parts, text.slice(end)];
}

const isFence = (line) => /^\s{0,3}```/.test(line);
/** Code, and lines of a table or a log, as one sees by their blanks. */
const isFixed = (line) => /^(?: {4}|\t)\s*\S/.test(line) || /\S {3,}\S/.test(line);
const isQuote = (line) => line.startsWith('>');

/** The lines of a text by kind: `code`, `fixed`, `quote` or `text`. */
function blocksOf(text) {
  const blocks = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (isFence(line)) {
      isCode = !isCode;
      blocks.push({ kind: isCode ? 'code' : 'text', lines: [] });
      continue;
    }
    const last = blocks.at(-1);
    const kind = isCode ? 'code' : isQuote(line) ? 'quote' : isFixed(line) ? 'fixed' : 'text';
    if (last?.kind === kind) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks;
}

/** A text as it is meant: quotations, code, links. `isTyped`: as it was typed, in a fixed font; `context`: the `bugs` and `attachments` that are known */
export const Prose = ({ text, isTyped = false, ...context }) => {
  if (isTyped) return html`<div class="prose" dir="auto"><pre tabindex="0">${text}</pre></div>`;
  return html`<div class="prose" dir="auto">${blocksOf(text).map(({ kind, lines }) => {
    if (kind === 'quote')
      return html`<blockquote dir="auto">${withLinks(lines.map((line) => line.replace(/^> ?/, '')).join('\n'), context)}</blockquote>`;
    const content = lines.join('\n').replace(/^(?:[ \t]*\n)+|\s+$/g, '');
    if (content === '') return undefined;
    if (kind !== 'text') return html`<pre tabindex="0">${withLinks(content, context)}</pre>`;
    return html`<p dir="auto">${withLinks(content, context)}</p>`;
  })}</div>`;
};
