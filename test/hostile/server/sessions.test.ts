import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { frame, PREFACE } from '../http2.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

const [HEADERS, CONTINUATION] = [1, 9] as const;
/** Headers of a call without end: nghttp2 gives up after some frames (CVE-2024-27316). */
const endless = Buffer.concat([
  PREFACE,
  ...Array.from({ length: 500 }, (_, n) =>
    frame(n === 0 ? HEADERS : CONTINUATION, 0, 1, Buffer.alloc(100, 0x40)),
  ),
]);

const EMITTERS = 'process.getBuiltinModule("node:events").prototype';
/** Without the prototype itself. */
const COUNT = `function () {
  return this.filter((each) => Object.hasOwn(each, '_events') && each.constructor.name === 'ServerHttp2Session').length;
}`;

/** Counts the HTTP/2 sessions that the server has or remembers, by the DevTools protocol. */
async function openInspector(victim: Victim): Promise<() => Promise<number>> {
  await eventually(() => victim.lastWords()).toMatch(/ws:\S+/);
  const socket = new WebSocket(/ws:\S+/.exec(victim.lastWords())?.[0] ?? '');
  // The end of the server breaks it.
  socket.on('error', () => {});
  await once(socket, 'open');
  let id = 0;
  const call = async (method: string, params: object = {}) => {
    socket.send(JSON.stringify({ id: ++id, method, params }));
    for (;;) {
      const [data] = await once(socket, 'message');
      const message = JSON.parse(String(data));
      if (message.id === id) return message.result;
    }
  };
  const { result: prototype } = await call('Runtime.evaluate', { expression: EMITTERS });
  return async () => {
    await call('HeapProfiler.collectGarbage');
    const { objects } = await call('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
    const { objectId } = objects;
    const request = { objectId, functionDeclaration: COUNT, returnByValue: true };
    const { result } = await call('Runtime.callFunctionOn', request);
    await call('Runtime.releaseObject', { objectId });
    return result.value;
  };
}

async function attack(victim: Victim, index: number): Promise<void> {
  const client = connect(victim.socket).on('error', () => {});
  const closed = once(client, 'close');
  // One that reads sees the end of the connection; one that doesn't goes when its bytes are sent.
  if (index % 2 === 0) client.resume();
  await new Promise((resolve) => client.write(endless, resolve));
  if (index % 2 === 0) await closed;
  client.destroy();
}

it('keeps nothing of the HTTP/2 sessions that clients end by an error', async () => {
  vi.stubEnv('NODE_OPTIONS', '--inspect=127.0.0.1:0');
  const victim = await startVictim(temporary());
  const count = await openInspector(victim);
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 10 }, (_, index) => attack(victim, index)));
  // The client of the kit has one.
  await eventually(count).toBe(1);
});
