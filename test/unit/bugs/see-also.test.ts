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
    [
      'http://bugzilla.example.net/a/show_bug.cgi?ctype=xml&id=5#c2',
      'http://bugzilla.example.net/a/show_bug.cgi?id=5',
    ],
    ['https://jira.example.net/browse/ABC-7', 'https://jira.example.net/browse/ABC-7'],
    [
      'https://gitlab.example.net/group/project/-/issues/3',
      'https://gitlab.example.net/group/project/-/issues/3',
    ],
    ['https://trac.example.net/ticket/8', 'https://trac.example.net/ticket/8'],
  ])('%s', (given, url) => {
    expect(readSeeAlso(` ${given} `, BASE)).toEqual({ url });
  });

  it.each([
    '12',
    `${BASE}show_bug.cgi?id=12`,
    `${BASE}show_bug.cgi?id=012`,
    `${BASE}show_bug.cgi?id=12#c3`,
    `${BASE}show_bug.cgi?ctype=xml&id=12&x=1`,
    `${BASE}./show_bug.cgi?id=12`,
    'http://bugs.example.org/show_bug.cgi?id=12',
    'HTTPS://Bugs.Example.ORG:443/show_bug.cgi?id=12',
  ])('of this deployment, or a number, is a bug here: %s', (given) => {
    expect(readSeeAlso(given, BASE)).toEqual({ bug: '12' });
  });

  it.each([
    'https://bugs.example.org:8443/show_bug.cgi?id=12',
    'https://bugs.example.org/other/show_bug.cgi?id=12',
    'https://bugs.example.org@example.net/show_bug.cgi?id=12',
  ])('of another deployment is no bug here: %s', (url) => {
    expect(readSeeAlso(url, BASE)).toEqual({ url });
  });

  it.each([
    '',
    'no address',
    'https://example.org/',
    'ftp://github.com/owner/project/issues/12',
    'javascript:alert(1)',
    `https://bugzilla.example.net/${'x'.repeat(255)}/show_bug.cgi?id=5`,
    // Longer ones could keep the patterns busy for minutes.
    `https://bugzilla.example.net/show_bug.cgi?id=5&${'id=1&'.repeat(400)}`,
  ])('%j is none', (given) => {
    expect(() => readSeeAlso(given, BASE)).toThrow(expect.objectContaining({ code: 112 }));
  });
});
