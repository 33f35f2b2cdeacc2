import { fromBinary } from '@bufbuild/protobuf';
import { type DescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { type CriService, criMethods } from '../../src/cri/service.js';
import { type CriServer, startServer } from '../../src/runtime/server/server.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporaryDirectory = useTemporaryDirectories();
/** What server reflection is, as its package ships it. */
const REFLECTION = 'node_modules/@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto';

const service = Object.fromEntries(
  Object.keys(criMethods).map((name) => [name, () => ({})]),
) as unknown as CriService;

let server: CriServer;
let client: Client;

beforeEach(async () => {
  const listen = `${temporaryDirectory()}/cri.sock`;
  server = await startServer({ service, clock: createRealClock(), listen, reflection: true });
  client = new Client(server.endpoint, credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  await server.close();
});

interface Answer {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
}

/** What the server answers a question of a reflecting client. */
function ask(question: object): Promise<Answer> {
  const loaded = loadPackageDefinition(loadSync(REFLECTION)) as never as {
    grpc: { reflection: { v1: { ServerReflection: typeof Client } } };
  };
  const reflection = new loaded.grpc.reflection.v1.ServerReflection(
    server.endpoint,
    credentials.createInsecure(),
  ) as never as { ServerReflectionInfo(): NodeJS.ReadWriteStream; close(): void };
  return new Promise<Answer>((resolve, reject) => {
    const stream = reflection.ServerReflectionInfo();
    stream.on('data', resolve);
    stream.on('error', reject);
    stream.write(question as never);
    stream.end();
  }).finally(() => reflection.close());
}

/** Messages with those inside of them. */
const all = (messages: readonly DescriptorProto[]): readonly DescriptorProto[] =>
  messages.flatMap((message) => [message, ...all(message.nestedType)]);

test('reflection lists the services, health too', async () => {
  const { listServicesResponse } = await ask({ listServices: '' });
  expect(listServicesResponse?.service.map(({ name }) => name).sort()).toEqual([
    'grpc.health.v1.Health',
    'runtime.v1.ImageService',
    'runtime.v1.RuntimeService',
  ]);
});

test('descriptors match those of protoc: names of files, of JSON fields, and of map entries', async () => {
  const { fileDescriptorResponse } = await ask({ fileContainingSymbol: 'runtime.v1.RuntimeService' });
  const [bytes = Buffer.alloc(0)] = fileDescriptorResponse?.fileDescriptorProto ?? [];
  const file = fromBinary(FileDescriptorProtoSchema, bytes);
  expect(file.name).toBe('runtime/v1/api.proto');
  const messages = all(file.messageType);
  const entries = messages.filter(({ options }) => options?.mapEntry).map(({ name }) => name);
  expect(entries).toContain('SysctlsEntry');
  expect(entries.filter((name) => !name.endsWith('Entry'))).toEqual([]);
  const sandbox = messages.find(({ name }) => name === 'LinuxPodSandboxConfig');
  expect(sandbox?.field.map(({ jsonName }) => jsonName)).toContain('cgroupParent');
  expect(sandbox?.field.find(({ name }) => name === 'sysctls')?.typeName).toBe(
    '.runtime.v1.LinuxPodSandboxConfig.SysctlsEntry',
  );
});

test('a health check without a service is about the whole server', async () => {
  const status = await new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (bytes: Buffer) => [...bytes],
      undefined,
      (error, reply) => (error ? reject(error) : resolve(reply)),
    ),
  );
  expect(status).toEqual([8, 1]);
});
