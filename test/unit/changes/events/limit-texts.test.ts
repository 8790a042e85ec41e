import { describe, expect, it } from 'vitest';
import { eventText, MAX_EVENT_BYTES } from '../../../../lib/changes/events/bus.ts';
import type { BugEvent } from '../../../../lib/changes/events/event.ts';

const event = (bug: Record<string, unknown>, changes: BugEvent['event']['changes'] = []): BugEvent => ({
  ...{ id: '1:modify:1', revision: 1 },
  event: {
    action: 'modify',
    target: 'bug',
    time: '2026-01-02T03:04:05Z',
    routing_key: 'bug.modify:x',
    changes,
  },
  bug: { id: 1, is_private: false, ...bug },
});
const sent = (given: BugEvent) => {
  const text = eventText(given);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
  return JSON.parse(text);
};

describe('an event', () => {
  it('of normal size is sent as it is', () => {
    const given = event({ summary: 'x', see_also: ['https://example.org/'], comment: { body: 'Text' } });
    expect(sent(given)).toEqual(given);
  });

  it('with a long text has the beginning of it, without a part of a character', () => {
    const { bug } = sent(event({ whiteboard: `a${'🪐'.repeat(5_000)}` }));
    expect(bug).toEqual({ id: 1, is_private: false, whiteboard: `a${'🪐'.repeat(4_095)}`, truncated: true });
  });

  it('with a long comment says so of the comment', () => {
    const { bug } = sent(event({ comment: { body: 'x'.repeat(20_000) } }));
    expect(bug).toEqual({ id: 1, is_private: false, comment: { body: 'x'.repeat(16_384), truncated: true } });
  });

  it.each([
    [
      'texts of control characters',
      { ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`cf_${n}`, '\u0001'.repeat(20_000)])) },
    ],
    [
      'very many addresses',
      { see_also: Array.from({ length: 2_000 }, (_, n) => `https://example.org/${n}`.padEnd(250, '0')) },
    ],
  ])('with %s is cut, and keeps what rules select by', (_, given) => {
    const names = { product: 'プロダクト'.repeat(12), component: 'ü'.repeat(64), status: 'RESOLVED' };
    expect(sent(event({ ...given, ...names })).bug).toMatchObject({ ...names, truncated: true });
  });

  const custom = (value: unknown) =>
    Object.fromEntries(Array.from({ length: 390 }, (_, n) => [`cf_${n}`.padEnd(64, 'n'), value]));
  it.each([
    ['256 quotes', custom('"'.repeat(256))],
    ['256 backslashes', custom('\\'.repeat(256))],
    ['256 control characters', custom('\u0001'.repeat(256))],
    ['256 planets', custom('🪐'.repeat(256))],
    ['256 lone surrogates', custom('\ud800'.repeat(256))],
    ['lists of quotes', custom(Array.from({ length: 30 }, () => '"'.repeat(64)))],
    ['60,000 quotes', custom('"'.repeat(60_000))],
  ])('of a bug with 390 custom fields of %s fits, new and changed', (_, given) => {
    const names = { product: '"'.repeat(64), component: 'プ'.repeat(64), alias: 'a'.repeat(40) };
    const comment = { body: '"'.repeat(65_535) };
    const created = sent(event({ ...given, ...names, comment })).bug;
    expect(created).toMatchObject({ ...names, comment: { truncated: true } });
    const changes = Object.entries(given).map(([field, value]) => {
      const text = [value].flat().join(', ');
      return { field, removed: text, added: text };
    });
    const { bug, event: changed } = sent(event({ ...given, ...names }, changes));
    expect(bug).toMatchObject({ ...names, truncated: true });
    expect(changed.changes.length).toBeGreaterThan(0);
  });

  it('is cut by the bytes of its JSON, at the border of a character', () => {
    const { bug } = sent(event({ whiteboard: `x${'"'.repeat(20_000)}`, url: `y${'\u0001'.repeat(20_000)}` }));
    expect(bug.whiteboard).toBe(`x${'"'.repeat(8_191)}`);
    expect(bug.url).toBe(`y${'\u0001'.repeat(2_730)}`);
  });

  it('with very long changes is cut', () => {
    const changes = Array.from({ length: 300 }, (_, n) => ({
      field: `cf_${n}`,
      removed: 'x'.repeat(9_000),
      added: 'y',
    }));
    expect(sent(event({}, changes)).bug.truncated).toBe(true);
  });
});
