import { describe, expect, it } from 'vitest';
import { readSeeAlso } from '../../../lib/bugs/see-also.ts';

const BASE = 'https://bugs.example.org/';

describe('the address of a bug elsewhere', () => {
  it.each([
    ['https://bugs.launchpad.net/ubuntu/+bug/1234', 'https://launchpad.net/bugs/1234'],
    ['https://github.com/owner/project/issues/12', 'https://github.com/owner/project/issues/12'],
    ['http://www.github.com/owner/project/pull/12#top', 'https://github.com/owner/project/pull/12'],
    ['https://bugs.debian.org/cgi-bin/bugreport.cgi?bug=99', 'http://bugs.debian.org/99'],
    ['https://bugzilla.example.net/show_bug.cgi?id=5', 'https://bugzilla.example.net/show_bug.cgi?id=5'],
    ['https://jira.example.net/browse/ABC-7', 'https://jira.example.net/browse/ABC-7'],
    [
      'https://gitlab.example.net/group/project/-/issues/3',
      'https://gitlab.example.net/group/project/-/issues/3',
    ],
    ['https://trac.example.net/ticket/8', 'https://trac.example.net/ticket/8'],
  ])('%s', (given, url) => {
    expect(readSeeAlso(` ${given} `, BASE)).toEqual({ url });
  });

  it('of this deployment, or a number, is a bug here', () => {
    expect(readSeeAlso('12', BASE)).toEqual({ bug: '12' });
    expect(readSeeAlso(`${BASE}show_bug.cgi?id=12`, BASE)).toEqual({ bug: '12' });
  });

  it.each([
    '',
    'no address',
    'https://example.org/',
    'ftp://github.com/owner/project/issues/12',
    'javascript:alert(1)',
    `https://bugzilla.example.net/${'x'.repeat(255)}/show_bug.cgi?id=5`,
  ])('%j is none', (given) => {
    expect(() => readSeeAlso(given, BASE)).toThrow(expect.objectContaining({ code: 112 }));
  });

  it('takes little time to be read from long input', () => {
    const started = performance.now();
    for (const part of ['/issues/', '/browse/A', '-/', '?#', 'bugs/']) {
      expect(() => readSeeAlso(`https://x/${part.repeat(20_000)}`, BASE)).toThrow();
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
