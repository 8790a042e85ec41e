import type { DeliveryLog } from '../../lib/changes/events/delivery-log.ts';

/**
 * Says for people, once for each limit of an hour, that mails wait: locally they are tried again every minute.
 *
 * @param print gets a line
 */
export function localPauses(print: (line: string) => void): DeliveryLog['paused'] {
  const said = new Set<string>();
  return (_, { bug }, { limit, user, number, until }) => {
    const whose = {
      ...{ hour: ' of the hour', pace: ' of this part of the hour' },
      ...{ user: ` of user ${user}`, bug: ` of bug ${bug}` },
    }[limit];
    const hour = until.slice(0, 13);
    if (said.has(`${hour}${whose}`)) return;
    said.add(`${hour}${whose}`);
    print(
      `mail  ${number} wait, because the limit${whose} is reached; they continue at ${until.slice(11, 16)} UTC`,
    );
  };
}
