import { constants, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rmdir, unlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../input/temporary-directory.js';
import { openBelow, rootAt, rootOf, withPinned } from './pinned.js';

const NAME = /^mockri-[A-Za-z0-9]{6}$/;
const SOCKET = 'cri.sock';
const PLUGIN_SOCKET = 'nri.sock';
/** Holds the process that made the directory. */
const OWNER = 'owner';
/** Bytes that are read of it. */
const LONGEST_OWNER = 512;

/** A new directory with sockets of this process. */
export interface OwnDirectory {
  /** Where a runtime listens there. */
  readonly socket: string;
  /** Where plugins connect there. */
  readonly pluginSocket: string;
  remove(): void;
}

/**
 * Makes a directory for sockets that ends with the process, so that a test that is killed leaves nothing behind; what a process
 * left that was killed with SIGKILL, the next one removes. The path is short, because a path of a unix socket has at most 107
 * bytes.
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

/** A process id means something on one machine, and there in one namespace: containers may share a directory. */
const ownerText = (pid: number): string => `${pid} ${hostname()} ${pidNamespace()}\n`;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '-';
  }
}

/**
 * Removes the directories that `makeOwnDirectory` made for processes that are gone. Whatever differs from such a directory
 * stays: a link, another user's, one with other files. An error is no reason not to start.
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
  // Only an empty directory is removed, and no link.
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
