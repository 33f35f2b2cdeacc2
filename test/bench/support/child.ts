import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A process whose first line on stdout reports that it is ready. */
export interface Child {
  readonly process: ChildProcess;
  readonly firstLine: string;
  /** Milliseconds from the start to the first line. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** Starts Node with these arguments; rejects if the process ends before its first line. */
export async function startNode(args: readonly string[], ipc = false): Promise<Child> {
  const begin = performance.now();
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...(ipc ? ['ipc' as const] : [])];
  const child = spawn(process.execPath, args, { stdio });
  const exited = once(child, 'exit');
  if (child.stdout === null) throw new Error('a child without stdout');
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  if (ready === undefined) throw new Error(`node ${args.join(' ')} ended before it was ready`);
  return {
    process: child,
    firstLine: String(ready[0]),
    startTime: performance.now() - begin,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Arguments that run a TypeScript file of the benchmark in a separate process. */
export function script(name: string, ...args: string[]): string[] {
  return ['--import', 'tsx', new URL(`../${name}`, import.meta.url).pathname, ...args];
}
