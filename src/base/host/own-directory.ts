import { constants, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rmdir, unlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../input/temporary-directory.js';
import { openBelow, rootAt, rootOf, withPinned } from './pinned.js';

const NAME = /^mockri-[A-Za-z0-9]{6}$/;
const SOCKET = 'cri.sock';
const PLUGIN_SOCKET = 'nri.sock';
const OWNER = 'owner';
/** Maximum number of bytes to read from it. */
const LONGEST_OWNER = 512;

export interface OwnDirectory {
  readonly socket: string;
  readonly pluginSocket: string;
  remove(): void;
}

/**
 * Creates a directory for sockets and removes it when the process ends, so that a killed test leaves nothing behind;
 * after SIGKILL, the next process removes it. The path is short, because unix socket paths have at most 107 bytes.
 */
export async function makeOwnDirectory(): Promise<OwnDirectory> {
  await sweep(tmpdir());
  const directory = makeTemporaryDirectory('mockri-');
  const removeAll = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeAll);
  writeFileSync(join(directory, OWNER), ownerText(process.pid), { flag: 'wx', mode: 0o600 });
  return {
    socket: join(directory, SOCKET),
    pluginSocket: join(directory, PLUGIN_SOCKET),
    remove: () => {
      process.off('exit', removeAll);
      removeAll();
    },
  };
}

/** Process ids are valid for one machine and PID namespace: containers may share a directory. */
const ownerText = (pid: number): string => `${pid} ${hostname()} ${pidNamespace()}\n`;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '-';
  }
}

/**
 * Removes directories of `makeOwnDirectory` whose processes are gone. Keeps everything else: symlinks, other users'
 * directories, directories with other files. Ignores errors.
 */
async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names.filter((each) => NAME.test(each)))
    await removeIfLeft(parent, name).catch(() => {});
}

async function removeIfLeft(parent: string, name: string): Promise<void> {
  await withPinned(await rootAt(parent), [name], async (pinned) => {
    const { uid } = await pinned.stat();
    const root = await rootOf(pinned);
    if (!root.isDirectory || Number(uid) !== process.getuid?.()) return;
    const file = await openBelow(root, [OWNER], constants.O_RDONLY);
    const { buffer, bytesRead } = await file
      .read({ buffer: Buffer.alloc(LONGEST_OWNER) })
      .finally(() => file.close());
    if (!isGone(buffer.toString('utf8', 0, bytesRead))) return;
    const entries = await readdir(pinned.path);
    if (entries.some((entry) => ![SOCKET, PLUGIN_SOCKET, OWNER].includes(entry))) return;
    for (const entry of entries) await unlink(join(pinned.path, entry));
  });
  // Removes only an empty directory, and no symlink.
  await rmdir(join(parent, name));
}

function isGone(owner: string): boolean {
  const pid = Number(/^[1-9]\d{0,9}(?= )/.exec(owner)?.[0]);
  if (!(pid > 0) || owner !== ownerText(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
