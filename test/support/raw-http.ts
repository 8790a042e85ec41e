import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a TCP connection, for requests that HTTP clients do not send. */
export async function openConnection(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends `text` (latin1) over a new connection. @returns everything received until it is closed */
export async function exchangeRaw(url: string, text: string): Promise<string> {
  const socket = await openConnection(url);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return received;
}
