import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';

/**
 * Exchanges of the bug operations recorded from a Bugzilla 5.2, and their data set. They are half of the recorded ones:
 * writes of the other half are missing.
 */
export interface BugExchange {
  /** its number in the file */
  index: number;
  section: string;
  name: string;
  as: string;
  request: string;
  body?: unknown;
  /** the accepted responses */
  accepted: Expected[];
}
/** Absent: not checked. */
interface Expected {
  status?: number;
  code?: number;
  response?: unknown;
}
/** A response of Bugless that differs from the recorded one. */
type OwnAnswer = 'as Bugzilla' | 'not checked' | (Expected & { as_recorded?: true });

interface RecordedExchange extends Omit<BugExchange, 'index' | 'accepted'> {
  bugzilla: Expected;
  bugless?: { answer: OwnAnswer | OwnAnswer[] };
}

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../reference', name), 'utf8').trim();

/** The data set of the exchanges. */
export const catalogueOf = (recording: string): Catalogue =>
  parseCatalogue(
    JSON.parse(read(`${recording}-catalog.json`), (k, v) => (k === 'attachments' ? undefined : v)),
  );

/** The exchanges of some sections, in the recorded order. */
export function exchangesOf(recording: string, ...sections: string[]): BugExchange[] {
  return read(`${recording}.jsonl`)
    .split('\n')
    .map((line, index) => ({ index, ...(JSON.parse(line) as RecordedExchange) }))
    .filter(({ section }) => sections.includes(section))
    .map(({ bugzilla, bugless, ...exchange }) => {
      const answers = bugless === undefined ? [bugzilla] : [bugless.answer].flat();
      const accepted = answers.map((answer) => {
        if (answer === 'not checked') return {};
        const isRecorded =
          answer === 'as Bugzilla' || ('as_recorded' in answer && answer.as_recorded === true);
        return isRecorded ? bugzilla : answer;
      });
      return { ...exchange, accepted, body: sentBody(exchange.body) };
    });
}

/** Long texts were recorded as their start and length, bodies that are not objects as texts. */
function sentBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('__raw__' in body) return body.__raw__;
  if ('__len__' in body && '__head__' in body) {
    return String(body.__head__).charAt(0).repeat(Number(body.__len__));
  }
  if (Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, sentBody(value)]));
}

/** The day of the recording: written data has times of that day. */
const RECORDED_ON = /^2026-11-2[12]T\d\d:\d\d:\d\dZ$/;

/** Whether a response is as expected, irrespective of times of writes and the order of changes. */
export function isAsExpected(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'string' && RECORDED_ON.test(expected)) {
    return typeof actual === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(actual);
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if ('$any' in expected) return typeof actual === expected.$any;
  if ('$oneOf' in expected) return Array.isArray(expected.$oneOf) && expected.$oneOf.includes(actual);
  if ('$new' in expected) return Number.isInteger(actual);
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected)) return isSameList(expected, actual);
  const given = new Map(Object.entries(actual));
  if ('$partial' in expected && typeof expected.$partial === 'object') {
    return Object.entries(expected.$partial ?? {}).every(([name, value]) =>
      isAsExpected(value, given.get(name)),
    );
  }
  // Bugless has no update tokens, because no request needs them.
  const wanted = Object.entries(expected).filter(([name]) => name !== 'update_token');
  return (
    wanted.length === given.size && wanted.every(([name, value]) => isAsExpected(value, given.get(name)))
  );
}

/** The changes of one history entry have no particular order. */
function isSameList(expected: unknown[], actual: object): boolean {
  if (!Array.isArray(actual) || actual.length !== expected.length) return false;
  const isUnordered = expected.every((one) => typeof one === 'object' && one !== null && 'field_name' in one);
  if (isUnordered) return expected.every((one) => actual.some((other) => isAsExpected(one, other)));
  return expected.every((one, index) => isAsExpected(one, actual[index]));
}
