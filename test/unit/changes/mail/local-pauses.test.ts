import { expect, it } from 'vitest';
import { localPauses } from '../../../../functions/mail/services.ts';

it('mails that wait are told once for each limit of an hour, with their number and when they go on', () => {
  const lines: string[] = [];
  const paused = localPauses((line) => lines.push(line));
  const pause = { user: 1, number: 37, until: '2026-01-31T09:00:00.000Z' };
  for (let attempt = 1; attempt <= 48; attempt += 1) {
    paused('', { bug: 2, attempt }, { ...pause, limit: 'hour' });
    paused('', { bug: 2, attempt }, { ...pause, limit: 'user', until: '2026-01-31T08:50:00.000Z' });
    paused('', { bug: 2, attempt }, { ...pause, limit: 'bug', until: '2026-01-31T08:50:00.000Z' });
  }
  paused('', { bug: 2, attempt: 49 }, { ...pause, limit: 'hour', until: '2026-01-31T10:00:00.000Z' });
  expect(lines).toEqual([
    'mail  37 wait, because the limit of the hour is reached; they continue at 09:00 UTC',
    'mail  37 wait, because the limit of user 1 is reached; they continue at 08:50 UTC',
    'mail  37 wait, because the limit of bug 2 is reached; they continue at 08:50 UTC',
    'mail  37 wait, because the limit of the hour is reached; they continue at 10:00 UTC',
  ]);
});
