import type { FileSystem } from '../process/file-system.js';
import type { Program } from '../process/process.js';

/** Where a name is looked up: the caller's file system, working directory and PATH. */
export interface LookupContext {
  readonly fs: FileSystem;
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
}

/** What can be run in a container. */
export interface Programs {
  /** The program that `name` runs there; undefined when there is none (a shell says "not found", exit code 127). */
  find(name: string, from: LookupContext): Promise<Program | undefined>;
}

export type CommandTable = Readonly<Record<string, Program>>;

/** Every command that a container can run. */
export function createPrograms(): Programs {
  return { find: async (name) => COMMANDS[name.slice(name.lastIndexOf('/') + 1)] };
}

const COMMANDS: CommandTable = {
  true: async () => ({ code: 0 }),
  false: async () => ({ code: 1 }),
  sleep: async (process) => {
    await process.sleep(Number(process.argv[1]) * 1000);
    return { code: 0 };
  },
};

/** What lies in /bin of an image with a shell. */
export const commandNames: readonly string[] = Object.keys(COMMANDS);
