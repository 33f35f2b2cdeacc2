import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The value of `--listen` that asks for a socket in a new directory. */
const TEMPORARY = 'temporary';

/**
 * The endpoint that `--listen` names. For `temporary` it makes a directory that ends with the process, so that a test
 * that is killed leaves nothing behind. Its path is short, because a path of a unix socket has at most 107 bytes.
 */
export function chooseEndpoint(listen: string): string {
  if (listen !== TEMPORARY) return listen;
  const directory = mkdtempSync(join(tmpdir(), 'mockri-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return `unix://${join(directory, 'cri.sock')}`;
}
