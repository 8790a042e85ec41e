import { characters } from '../../../lib/text.ts';
import type { Finding } from './problems.ts';
import type { SourceBug, SourceComment } from './source-schema.ts';

const MAX_COMMENT_LENGTH = 65_535;

/**
 * A bug of Bugzilla with its comments as a catalogue has it, not yet checked. The ids stay; comments stand in
 * the order of Bugzilla's numbers, but their own numbers have no gap, and their times do not go back.
 *
 * @returns also what that changed, or left out
 */
export function catalogueBug(
  source: SourceBug,
  comments: SourceComment[],
): { bug: Record<string, unknown>; findings: Finding[] } {
  const { id, alias, product, component, version, summary, status, creator, ...people } = source;
  const { assigned_to, qa_contact, cc, groups } = people;
  const sorted = comments
    .map((comment, place) => ({ ...comment, count: comment.count ?? place }))
    .sort((a, b) => a.count - b.count || a.id - b.id);
  const bug = {
    id,
    aliases: alias,
    product,
    component,
    ...(version === '' ? {} : { version }),
    summary,
    ...(status === '' ? {} : { status }),
    reporter: creator,
    assigned_to,
    qa_contact,
    cc,
    groups,
    comments: inOrder(sorted),
  };
  return { bug, findings: findingsOf(id, sorted) };
}

type Numbered = SourceComment & { count: number };

const timeOf = ({ creation_time, time }: SourceComment) => creation_time ?? time ?? '';

function inOrder(comments: Numbered[]): object[] {
  let latest = '';
  return comments.map((comment) => {
    const given = timeOf(comment);
    latest = given > latest ? given : latest;
    return {
      id: comment.id,
      text: shortened(comment.text),
      creator: comment.creator,
      creation_time: latest,
      is_private: comment.is_private,
      attachment_id: comment.attachment_id ?? null,
      tags: comment.tags,
    };
  });
}

function shortened(text: string): string {
  if (characters(text) <= MAX_COMMENT_LENGTH) return text;
  return [...text].slice(0, MAX_COMMENT_LENGTH).join('');
}

function findingsOf(bug: number, comments: Numbered[]): Finding[] {
  const where = `bug ${bug}`;
  const findings: Finding[] = [];
  const hidden = Math.max(-1, ...comments.map(({ count }) => count)) + 1 - comments.length;
  if (hidden > 0) {
    const why = `at least ${hidden} of its comments; those after them have smaller numbers here`;
    findings.push({ kind: 'bugs with comments that the API key may not see', where, why });
  }
  const changed = (why: string) =>
    findings.push({ kind: 'bugs whose comments are not just as they were', where, why });
  const renumbered = comments.filter(({ count }, place) => count !== place);
  if (hidden <= 0 && renumbered.length > 0) {
    changed(`numbers that Bugzilla gives twice: ${renumbered.length} comments have others here`);
  }
  const early = comments.filter((comment, place) => {
    const before = comments[place - 1];
    return before !== undefined && timeOf(comment) < timeOf(before);
  });
  if (early.length > 0) changed(`times before those of earlier comments: ${ids(early)}`);
  const long = comments.filter(({ text }) => characters(text) > MAX_COMMENT_LENGTH);
  if (long.length > 0) changed(`cut at ${MAX_COMMENT_LENGTH} characters: ${ids(long)}`);
  return findings;
}

const MAX_IDS = 20;

function ids(comments: Numbered[]): string {
  const shown = comments.slice(0, MAX_IDS).map(({ id }) => id);
  return `comments ${shown.join(', ')}${comments.length > MAX_IDS ? ', …' : ''}`;
}
