import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A server from this repository with the engine of start.sh; resolves when it is ready. */
export async function startServer(
  engine: string,
  endpoint: string,
  ...more: readonly string[]
): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../../../../dist/src/cli/main.js');
  const flags = ['--listen', endpoint, '--control', 'off', '--log-level', 'warn', '--backend', 'docker'];
  const docker = ['--docker-host', `unix://${engine}/docker.sock`];
  const image = ['--docker-sandbox-image', 'registry.k8s.io/pause:3.9'];
  const child = spawn(process.execPath, [program, 'serve', ...flags, ...docker, ...image, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}
