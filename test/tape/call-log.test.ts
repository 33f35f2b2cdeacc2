import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeName } from '../../src/cri/status-code.js';
import { createCallJoiner, type FinishedCall } from '../../src/tape/calls.js';
import type { Subject } from '../../src/tape/entries.js';
import { openTape } from '../../src/tape/read.js';
import { startMockri } from '../../src/testing/index.js';
import { wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

/** What both records say of a call. */
interface Seen {
  readonly method: string;
  readonly connection: number;
  readonly code: string;
  readonly details: string;
  readonly messages: number;
  readonly pod: string | undefined;
  readonly container: string | undefined;
}

const nameOf = (object: { readonly name: string; readonly id?: string | undefined } | undefined) =>
  object && `${object.name} ${object.id || '-'}`;

/** The finished calls of a tape, in the order in which they ended. */
async function callsOf(file: string): Promise<Seen[]> {
  const joiner = createCallJoiner();
  const calls: FinishedCall[] = [];
  for await (const each of (await openTape(file)).entries) {
    const one = joiner.take(each);
    if (one?.kind === 'finished') calls.push(one);
  }
  return calls.map(({ call, end, messages }) => {
    const { pod, container }: Subject = call;
    return {
      method: call.method,
      connection: call.connection,
      code: end?.code ?? 'none',
      details: end?.details ?? '',
      messages: end?.kind === 'reply' && end.code === 'OK' ? 1 : messages,
      pod: nameOf(pod),
      container: nameOf(container),
    };
  });
}

test('the call log and the tape agree on each call', async () => {
  const file = join(directory(), 'run.tape');
  await using mockri = await startMockri({ record: file });
  const { client } = mockri;
  await wholeLife(client, 'web');
  await expect(client.containerStatus({ containerId: 'none' })).rejects.toThrow('not found');
  mockri.fault('RunPodSandbox').once().error('UNAVAILABLE');
  await expect(wholeLife(client, 'faulty')).rejects.toThrow('injected by fault rule');
  await wholeLife(client, 'faulty');
  const logged = mockri.calls().map(({ method, connection, code, details, messages, subject }) => ({
    method,
    connection,
    code: codeName(code),
    details,
    messages,
    pod: nameOf(subject?.pod),
    container: nameOf(subject?.container),
  }));
  await mockri.close();
  expect(logged.length).toBeGreaterThan(20);
  expect(await callsOf(file)).toEqual(logged);
});
