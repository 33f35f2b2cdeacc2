import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { UserError } from '../input/user-error.js';

const API = 'runtime/v1/api.proto';

/** Answers grpcurl and its like from the project's own api.proto. */
export async function addReflection(grpc: Server): Promise<void> {
  const definition = loadSync(API, { includeDirs: [protoDirectory()], keepCase: true });
  new ReflectionService(definition).addToServer(grpc);
}

/** `proto/` at the root of the package, which is not as far up from the sources as from what is built. */
function protoDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'proto', API))) {
    const parent = dirname(directory);
    if (parent === directory) throw new UserError(`proto/${API} is missing from this installation`);
    directory = parent;
  }
  return join(directory, 'proto');
}
