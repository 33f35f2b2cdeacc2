import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { packagePath } from '../../base/input/package-path.js';

const API = 'runtime/v1/api.proto';

/** Answers grpcurl and its like from the project's own api.proto. */
export async function addReflection(grpc: Server): Promise<void> {
  const definition = loadSync(API, { includeDirs: [packagePath('proto')], keepCase: true });
  new ReflectionService(definition).addToServer(grpc);
}
