import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

/** Sends many requests before it reads an answer; resolves when the server has closed the connection. */
async function sendAll(victim: Victim, path: string, count: number): Promise<void> {
  const socket = connect(Number(new URL(victim.control ?? '').port), '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count));
  await once(socket, 'close');
}

it("a connection whose client pipelines requests is closed, and takes no reader's place", async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  await sendAll(victim, '/v1/events', 600);
  const leave = new AbortController();
  const { status } = await fetch(`${victim.control}/v1/events`, { signal: leave.signal });
  leave.abort();
  expect(status).toBe(200);
  expect(await victim.stop()).toBe(0);
});
