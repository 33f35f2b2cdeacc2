import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MethodDefinition, Server, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { GrpcServer } from './wire/grpc-server.js';
import type { IncomingCall, RequestListener } from './wire/incoming-call.js';

const API = 'runtime/v1/api.proto';

/** Answers grpcurl and its like from the project's own api.proto. */
export async function addReflection(grpc: GrpcServer): Promise<void> {
  const definition = loadSync(API, { includeDirs: [protoDirectory()], keepCase: true });
  const addService = (service: ServiceDefinition, handlers: Readonly<Record<string, Handler>>) => {
    for (const [name, method] of Object.entries(service)) {
      const handler = handlers[name];
      if (handler === undefined) continue;
      grpc.register(method.path, { kind: 'several', begin: (call) => connect(call, method, handler) });
    }
  };
  // All that the package does with grpc-js's server is to add its services.
  new ReflectionService(definition).addToServer({ addService } as unknown as Server);
}

type Handler = (stream: DuplexCall) => void;

/** What the package uses of grpc-js's ServerDuplexStream. */
interface DuplexCall {
  on(event: 'data' | 'end', listener: (message: unknown) => void): unknown;
  write(message: unknown): void;
  end(): void;
}

function connect(
  call: IncomingCall,
  method: MethodDefinition<unknown, unknown>,
  handler: Handler,
): RequestListener {
  const stream = new EventEmitter();
  handler({
    on: (event, listener) => stream.on(event, listener),
    write: (message) => call.write(method.responseSerialize(message)),
    end: () => call.end(),
  });
  return {
    message: (bytes) => stream.emit('data', method.requestDeserialize(bytes)),
    end: () => stream.emit('end'),
  };
}

/** `proto/` at the root of the package, which is not as far up from the sources as from what is built. */
function protoDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'proto', API))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`proto/${API} is missing from this installation`);
    directory = parent;
  }
  return join(directory, 'proto');
}
