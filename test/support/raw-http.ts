import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that sends what no HTTP client would. */
export async function openConnection(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends `text` (one character a byte) over a connection of its own; all that comes back until it is closed. */
export async function exchangeRaw(url: string, text: string): Promise<string> {
  const socket = await openConnection(url);
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return answer;
}
