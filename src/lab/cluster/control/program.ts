import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { type ClockedProgram, startOnClock } from '../../../kubelet/hosts/virtual/clocked-program.js';
import { inOwnProcesses } from '../../../kubelet/hosts/virtual/namespaces.js';
import { kubeconfig } from '../../../kubelet/hosts/virtual/program-config.js';

export interface ProgramOptions {
  readonly clock: VirtualClock;
  readonly name: string;
  readonly path: string;
  /** `$(KUBECONFIG)` is the path of a kubeconfig for `url`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string | undefined;
  /** Of the whole cluster; removed if this process is killed. */
  readonly directory: string;
  /** Where programs find this directory. */
  readonly place: string;
  readonly seed: number;
  /** ms by which its clock is ahead of the others; negative: behind. */
  readonly ahead: number;
  readonly said: (line: string) => void;
  /** It ended by itself; `how` has its exit code and last words. */
  readonly ended: (how: string) => void;
}

/** A program that can be killed and started again. */
export interface Program {
  start(): void;
  /** As SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it for so many ms, or until `resume`, while time passes for the others. A node can't be paused. */
  pause?(duration?: number): void;
  resume?(): void;
  /** How many questions it asked the clock, and a hash of them and of their times: equal in equal runs. A node asks none. */
  questions?(): { readonly count: number; readonly hash: string };
}

export function createProgram(options: ProgramOptions): Program {
  const { clock, name, path, directory, place } = options;
  const own = join(directory, name);
  const log = join(own, 'log');
  const config = join(own, 'kubeconfig');
  const inside = (text: string) => text.replaceAll(directory, place);
  mkdirSync(join(own, 'tmp'), { recursive: true });
  writeFileSync(log, '');
  if (options.url !== undefined) writeFileSync(config, kubeconfig(options.url));
  const args = options.args.map((arg) => inside(arg.replaceAll('$(KUBECONFIG)', config)));
  const hash = createHash('sha256');
  let running: ClockedProgram | undefined;
  let starts = 0;
  let count = 0;
  return {
    start: () => {
      running ??= startOnClock({
        clock,
        seed: options.seed + starts++,
        ahead: options.ahead,
        command: inOwnProcesses([path, ...args], { directory, place }),
        directory,
        log,
        env: {
          ...options.env,
          ...{ KUBECONFIG: inside(config), HOME: inside(own), TMPDIR: inside(join(own, 'tmp')) },
        },
        said: options.said,
        ended: (how) => {
          running = undefined;
          options.ended(how);
        },
        asked: ({ sequence, reached, next = 0n, trace }, now) => {
          count++;
          hash.update(`${sequence} ${now} ${reached} ${next} ${trace}\n`);
        },
      });
    },
    kill: async () => {
      const killed = running;
      running = undefined;
      await killed?.kill();
    },
    pause: (duration) => running?.pause(duration),
    resume: () => running?.resume(),
    questions: () => ({ count, hash: hash.copy().digest('hex').slice(0, 16) }),
  };
}
