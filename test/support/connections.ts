/** Raw connections that are gone after the test that opened them, and the whole life of one refused request. */
import { afterEach, expect } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { RawConnection } from './raw-http.js';
import { expectRefusal } from './refusal.js';

const opened: RawConnection[] = [];

afterEach(() => {
  for (const connection of opened.splice(0)) connection.destroy();
});

export async function connectTo(server: { readonly port: number }): Promise<RawConnection> {
  const connection = await RawConnection.open(server.port);
  opened.push(connection);
  return connection;
}

/** One refusal, then the end of the connection, and nothing between the two. */
export async function expectRefusalAndEnd(
  connection: RawConnection,
  status: number,
  code: PublicCode,
  extra?: Readonly<Record<string, string>>,
): Promise<void> {
  expectRefusal(await connection.answer(), status, code, extra);
  const isSilent = await connection.closed();
  expect({ isSilent, rest: connection.rest }).toEqual({ isSilent: true, rest: '' });
}

/** Sends `text` on a connection of its own, as `expectRefusalAndEnd`. */
export async function expectRefused(
  server: { readonly port: number },
  text: string,
  status: number,
  code: PublicCode,
  extra?: Readonly<Record<string, string>>,
): Promise<void> {
  const connection = await connectTo(server);
  connection.send(text);
  await expectRefusalAndEnd(connection, status, code, extra);
}
