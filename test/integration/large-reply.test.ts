import { Client, credentials, type Metadata, type StatusObject } from '@grpc/grpc-js';
import { afterEach, expect, test, vi } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { type Call, type CriService, criMethods } from '../../src/cri/service.js';
import { startServer } from '../../src/runtime/server/server.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporaryDirectory = useTemporaryDirectories();
const open: { close(): unknown }[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const resource of open.splice(0).reverse()) await resource.close();
});

/** Result of a ListContainers for which the service returns these bytes: reply, headers and status. */
async function answered(reply: Buffer) {
  const listContainers = (_: object, call: Call) => {
    call.transport?.addTrailer('x-sent-with', 'the status');
    return reply;
  };
  const listen = `${temporaryDirectory()}/cri.sock`;
  const service = { listContainers } as unknown as CriService;
  for (const name of Object.keys(criMethods)) (service as Record<string, unknown>)[name] ??= () => ({});
  open.push(await startServer({ service, clock: createRealClock(), listen }));
  const client = new Client(`unix:${listen}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
  });
  open.push(client);
  const same = (bytes: Buffer) => bytes;
  return new Promise<{ bytes: Buffer | undefined; headers: Metadata; status: StatusObject }>((resolve) => {
    let bytes: Buffer | undefined;
    let headers: Metadata;
    const call = client.makeUnaryRequest(
      criMethods.listContainers.path,
      same,
      same,
      Buffer.alloc(0),
      (_, value) => {
        bytes = value;
      },
    );
    call.on('metadata', (received: Metadata) => {
      headers = received;
    });
    call.on('status', (status: StatusObject) => queueMicrotask(() => resolve({ bytes, headers, status })));
  });
}

const pattern = (size: number) => Buffer.from(Uint8Array.from({ length: size }, (_, index) => index * 31));

test.each([0, 5, 65_535, 65_536, 70_001, 5_000_000])(
  'a reply of %i bytes arrives unchanged',
  async (size) => {
    const reply = pattern(size);
    const { bytes, headers, status } = await answered(reply);
    expect(status).toMatchObject({ code: 0, details: 'OK' });
    expect(bytes?.equals(reply)).toBe(true);
    expect(headers.get('x-sent-with')).toEqual([]);
    expect(status.metadata.get('x-sent-with')).toEqual(['the status']);
  },
);

test('only the client copies a large reply', async () => {
  const allocations = vi.spyOn(Buffer, 'allocUnsafe');
  const copiesOf = (size: number) => allocations.mock.calls.filter(([length]) => length === size + 5).length;
  await answered(pattern(65_535));
  await answered(pattern(65_536));
  // What the client puts together shows until Node 22 only.
  expect(copiesOf(65_535)).toBe(copiesOf(65_536) + 1);
});
