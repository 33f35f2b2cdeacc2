import { randomBytes } from 'node:crypto';
import { forgetOldest } from '../../../src/base/input/forget-oldest.js';
import { NotExecutedError } from '../../../src/cri/errors.js';
import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { absolute, type LookupContext, type Programs } from '../../../src/linux/commands/programs.js';
import { FileError } from '../../../src/linux/fs/file-error.js';
import type { ImageDirectory } from '../../../src/linux/fs/image-tree.js';
import type { Program } from '../../../src/linux/process/process.js';
import { StartFailure } from '../../../src/runtime/engine/backend.js';

/** Start of containerd's and runc's error for a missing program: tools and people look for it. */
const NOT_CREATED =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed';
const NOT_EXECUTED = 'failed to exec in container: failed to start exec';

const UNKNOWN = 2;

/** Throws StartFailure if the container has no such program. */
export async function programToStart(
  programs: Programs,
  argv: readonly string[],
  from: LookupContext,
): Promise<Program> {
  const found = await find(programs, argv, from);
  if (typeof found === 'string') throw new StartFailure(`${NOT_CREATED}: ${found}`);
  return found;
}

/** The kubelet mounts these in every pod; they contain no programs. */
const USUAL_MOUNTS = ['/etc/hosts', '/dev/termination-log', '/var/run/secrets/kubernetes.io/serviceaccount'];

/** Whether a container finds its program in its image; ignores mounts over the files. */
export const startsFromImage = ({ mounts }: ContainerConfig): boolean =>
  mounts.every(({ containerPath }) => USUAL_MOUNTS.includes(containerPath));

/** Programs of one image that are cached, and the longest name with its PATH. */
const MOST_PROGRAMS = 100;
const LONGEST_KEY = 1000;

/** Programs that containers of an image have started: a lookup mounts a container's whole file system. */
export class StartedPrograms {
  readonly #byImage = new WeakMap<ImageDirectory, Map<string, Program>>();

  async find(
    root: ImageDirectory,
    argv: readonly string[],
    { cwd, env }: Pick<LookupContext, 'cwd' | 'env'>,
    look: () => Promise<Program>,
  ): Promise<Program> {
    const key = JSON.stringify([argv[0], cwd, env.get('PATH')]);
    if (key.length > LONGEST_KEY) return look();
    const known = this.#byImage.get(root) ?? new Map<string, Program>();
    const found = known.get(key);
    if (found !== undefined) return found;
    this.#byImage.set(root, known);
    const program = await look();
    known.set(key, program);
    forgetOldest(known, MOST_PROGRAMS);
    return program;
  }
}

export async function programToExec(
  programs: Programs,
  argv: readonly string[],
  from: LookupContext,
): Promise<Program> {
  const found = await find(programs, argv, from);
  if (typeof found !== 'string') return found;
  const id = randomBytes(32).toString('hex');
  throw new NotExecutedError(
    UNKNOWN,
    `${NOT_EXECUTED} "${id}": OCI runtime exec failed`,
    `exec failed: ${found}`,
  );
}

async function find(
  programs: Programs,
  argv: readonly string[],
  from: LookupContext,
): Promise<Program | string> {
  const [name = ''] = argv;
  const because = (why: string) => `unable to start container process: exec: ${JSON.stringify(name)}: ${why}`;
  try {
    const program = await programs.find(name, from);
    if (program !== undefined) return program;
    return because(name.includes('/') ? `stat ${name}: ${await absence(name, from)}` : NOT_FOUND);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return because(await reasonOf(error, name, from));
  }
}

const absence = (name: string, from: LookupContext): Promise<string> =>
  from.fs.stat(absolute(name, from.cwd)).then(
    () => 'no such file or directory',
    (error: unknown) => (error instanceof FileError ? error.message.toLowerCase() : String(error)),
  );

const NOT_FOUND = 'executable file not found in $PATH';

/** The error of Go's exec.LookPath, which runc calls: it skips files on the PATH that it may not execute. */
async function reasonOf({ code, message }: FileError, name: string, from: LookupContext): Promise<string> {
  if (!name.includes('/')) return NOT_FOUND;
  if (code !== 'EACCES') return `stat ${name}: ${message.toLowerCase()}`;
  const isDirectory = await from.fs.stat(absolute(name, from.cwd)).then(
    ({ kind }) => kind === 'directory',
    () => false,
  );
  return isDirectory ? 'is a directory' : 'permission denied';
}
