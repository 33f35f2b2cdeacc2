import { status as Code } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { createRemoteService } from '../../adapters/remote/remote-service.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { connectCri } from '../../src/cri/client/connect.js';
import { StatusError } from '../../src/cri/errors.js';
import { VersionResponse } from '../../src/cri/gen/runtime/v1/api.js';
import { ownCall } from '../../src/cri/own-call.js';
import { type Call, type CallHeaders, type CriService, criMethods } from '../../src/cri/service.js';
import { startServer } from '../../src/runtime/server/server.js';
import { callPatiently } from '../support/network/patient-client.js';
import { rawCall } from '../support/network/raw-call.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { until, untilStill } from '../support/turns.js';

const temporaryDirectory = useTemporaryDirectories();
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.close();
});

/** A client of a proxy in front of a stub, over two sockets. */
async function throughProxy(service: Partial<CriService>) {
  const clock = createRealClock();
  const directory = temporaryDirectory();
  const refuse = () => {
    throw new StatusError(Code.UNIMPLEMENTED, 'not in this stub');
  };
  const all = Object.fromEntries(Object.keys(criMethods).map((name) => [name, refuse]));
  const stub = { ...all, ...service } as CriService;
  const behind = await startServer({ service: stub, clock, listen: `${directory}/behind.sock` });
  const remote = createRemoteService(behind.endpoint);
  const listen = `${directory}/front.sock`;
  const front = await startServer({ service: remote.service, clock, listen, lazyRequests: true });
  const client = connectCri(front.endpoint);
  open.push(behind, remote, front, client);
  return { client, behind, front };
}

test('forwards the bytes of requests and replies, metadata, deadline and trailers', async () => {
  const seen: { call: Call; bytes: Buffer | undefined; metadata: CallHeaders | undefined }[] = [];
  // A field that is unknown in this version of the API.
  const reply = Buffer.concat([Buffer.from('1203616263', 'hex'), Buffer.from('fa3e03787978', 'hex')]);
  const { client, front } = await throughProxy({
    version: (request, call) => {
      const { forwarded } = call.transport ?? {};
      seen.push({ call, bytes: forwarded?.bytesOf(request), metadata: forwarded?.metadata });
      call.transport?.addTrailer('x-mockri-fault', 'a');
      call.transport?.addTrailer('x-mockri-fault', 'b');
      call.transport?.addTrailer('grpc-status-details-bin', Buffer.from([0, 255]));
      return reply;
    },
  });
  const answer = await client.version({ version: 'v9' }, { timeout: 60_000, metadata: { 'x-mine': 'yes' } });
  expect(answer.runtimeName).toBe('abc');
  expect(seen[0]?.bytes?.toString('hex')).toBe('0a027639');
  expect(seen[0]?.metadata?.get('x-mine')).toEqual(['yes']);
  expect(seen[0]?.call.deadline).toBeDefined();
  // No rule of this server: the tape judge holds the runtime behind to the whole CRI.
  expect(front.log.list()).toMatchObject([{ method: 'Version', code: 0, faults: [] }]);
  const { metadata } = await rawCall(front.endpoint, '/runtime.v1.RuntimeService/Version');
  // Values of the same name arrive joined (RFC 9110, 5.3).
  expect(metadata.get('x-mockri-inner-fault')).toEqual(['a, b']);
  expect(metadata.get('grpc-status-details-bin')).toEqual([Buffer.from([0, 255])]);
});

test('forwards statuses unchanged', async () => {
  const { client } = await throughProxy({
    stopContainer: () => {
      throw new StatusError(Code.DATA_LOSS, 'says % who – ☃');
    },
  });
  await expect(client.stopContainer({})).rejects.toMatchObject({ code: 15, details: 'says % who – ☃' });
  await expect(client.startContainer({})).rejects.toMatchObject({ code: 12, details: 'not in this stub' });
});

test('passes cancellation', async () => {
  let behind: AbortSignal | undefined;
  const { client } = await throughProxy({
    stopContainer: (_, call) =>
      new Promise((_, reject) => {
        behind = call.signal;
        call.signal.addEventListener('abort', () => reject(call.signal.reason));
      }),
  });
  const abort = new AbortController();
  const called = client.stopContainer({}, { signal: abort.signal });
  await until(() => behind !== undefined);
  abort.abort();
  await expect(called).rejects.toMatchObject({ code: 1 });
  await until(() => behind?.aborted === true);
});

test('forwards streams, with back-pressure and end', async () => {
  let sent = 0;
  const { client } = await throughProxy({
    async *getContainerEvents() {
      for (; sent < 1000; sent++) yield Buffer.alloc(64 * 1024);
      throw new StatusError(Code.ABORTED, 'that was all');
    },
  });
  const events = client.getContainerEvents({})[Symbol.asyncIterator]();
  await events.next();
  await untilStill(() => sent);
  expect(sent).toBeLessThan(300);
  let received = 1;
  await expect(async () => {
    while (!(await events.next()).done) received++;
  }).rejects.toMatchObject({ code: 10, details: 'that was all' });
  expect(received).toBe(1000);
});

test('returns UNAVAILABLE while the endpoint is absent', async () => {
  const { client, behind } = await throughProxy({});
  await behind.close();
  const path = behind.endpoint.replace('unix://', '');
  await expect(client.version({})).rejects.toMatchObject({
    code: 14,
    details: `connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`,
  });
});

test('finds a runtime that starts after it', async () => {
  const endpoint = `unix://${temporaryDirectory()}/late.sock`;
  const remote = createRemoteService(endpoint);
  open.push(remote);
  const version = async () => remote.service.version({ version: '' }, ownCall());
  await expect(version()).rejects.toThrow(/dial unix .*late\.sock: connect: no such file or directory/);
  const service = { ...remote.service, version: () => VersionResponse.create({ runtimeName: 'late' }) };
  open.push(await startServer({ service, clock: createRealClock(), listen: endpoint }));
  let reply: unknown;
  while (reply === undefined) reply = await version().catch(() => undefined);
  expect(VersionResponse.decode(reply as Buffer).runtimeName).toBe('late');
});

test('leaves the deadline of a call that hangs in the remote runtime to the client', async () => {
  const { front } = await throughProxy({ version: () => new Promise<never>(() => {}) });
  expect(await callPatiently(front.endpoint)).toEqual(['another client gave up', 'status 4']);
});
