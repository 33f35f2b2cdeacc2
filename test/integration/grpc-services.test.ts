import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.js';
import { type CriService, criMethods } from '../../src/cri/service.js';
import { type CriServer, startServer } from '../../src/server/server.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporaryDirectory = useTemporaryDirectories();
let server: CriServer;
let client: Client;

beforeEach(async () => {
  const service = Object.fromEntries(Object.keys(criMethods).map((name) => [name, () => ({})]));
  server = await startServer({
    service: service as unknown as CriService,
    clock: createRealClock(),
    listen: `${temporaryDirectory()}/cri.sock`,
    reflection: true,
  });
  client = new Client(server.endpoint, credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  await server.close();
});

const same = (bytes: Buffer) => bytes;
const requestFor = (service: string) =>
  Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

const check = (body: Buffer): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const path = '/grpc.health.v1.Health/Check';
    client.makeUnaryRequest(path, same, same, body, (error, reply) =>
      error ? reject(error) : resolve(reply),
    );
  });

test('health is told of the server and of each service', async () => {
  const serving = Buffer.from([8, 1]);
  expect(await check(requestFor(''))).toEqual(serving);
  expect(await check(requestFor('runtime.v1.ImageService'))).toEqual(serving);
  await expect(check(requestFor('runtime.v2'))).rejects.toMatchObject({ code: 5 });
  await expect(check(Buffer.from([0x0a, 9]))).rejects.toMatchObject({ code: 13 });
});

test('who watches health learns that the server ends', async () => {
  const seen: number[] = [];
  const path = '/grpc.health.v1.Health/Watch';
  const stream = client.makeServerStreamRequest(path, same, same, requestFor(''));
  const ended = new Promise((resolve) => stream.on('end', resolve));
  await new Promise<void>((resolve) =>
    stream.on('data', (status: Buffer) => {
      seen.push(status[1] ?? 0);
      resolve();
    }),
  );
  await server.close();
  await ended;
  expect(seen).toEqual([1, 2]);
});

test('reflection answers question after question on one stream', async () => {
  const package_ = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'));
  const proto = loadSync(join(package_, 'build/proto/grpc/reflection/v1/reflection.proto'), { oneofs: true });
  const { grpc } = loadPackageDefinition(proto) as unknown as {
    grpc: { reflection: { v1: { ServerReflection: ServiceClientConstructor } } };
  };
  const reflection = new grpc.reflection.v1.ServerReflection(server.endpoint, credentials.createInsecure());
  const stream = reflection.ServerReflectionInfo?.();
  const answers: { messageResponse: string; listServicesResponse?: { service: { name: string }[] } }[] = [];
  const ended = new Promise((resolve) => stream.on('end', resolve));
  stream.on('data', (answer: (typeof answers)[number]) => {
    answers.push(answer);
    if (answers.length === 1) stream.write({ fileContainingSymbol: 'runtime.v1.RuntimeService' });
    else stream.end();
  });
  stream.write({ listServices: '' });
  await ended;
  reflection.close();
  expect(answers.map(({ messageResponse }) => messageResponse)).toEqual([
    'listServicesResponse',
    'fileDescriptorResponse',
  ]);
  const names = answers[0]?.listServicesResponse?.service.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['runtime.v1.RuntimeService', 'runtime.v1.ImageService']));
});
