import { messageOf } from '../../base/input/error-text.js';
import { createAnyServer } from '../commands/network/any-server.js';
import type { ExitStatus, Process, Program } from '../process/process.js';
import type { Behavior } from './parse-behavior.js';

export interface BehaviorOptions {
  /** Time that it had run before a checkpoint, in ms. */
  readonly age?: number;
  /** Its first line of output if its behavior is a guess. */
  readonly about?: string | undefined;
  /** The behavior that it has now, and for how long, in ms. Default: always the given one. */
  readonly present?: (() => Present) | undefined;
}

type Present = readonly [behavior: Behavior | undefined, age: number];

export function behaviorProgram(behavior: Behavior, options: BehaviorOptions = {}): Program {
  const { age = 0, about } = options;
  return async (process) => {
    const signalled = untilSignalled(process, behavior);
    const startedAt = process.clock.elapsed() - age;
    const present = options.present ?? ((): Present => [behavior, process.clock.elapsed() - startedAt]);
    await serve(process, behavior, present);
    if (about !== undefined && behavior.log === undefined) keepLogging(process, about, undefined);
    if (behavior.log !== undefined) keepLogging(process, behavior.log, behavior.every);
    return process.clock.idle(
      Promise.race([lifetime(process, behavior, age, present), signalled, untilKilled(process)]),
    );
  };
}

/** Whether the container is ready at this age in ms. */
export const isReady = ({ readyAfter = 0, readyUntil = Infinity }: Behavior, age: number): boolean =>
  age >= readyAfter && age < readyUntil;

/** The exit code of every exec; undefined if the behavior doesn't set one. */
export function execExitOf(behavior: Behavior, age: number): number | undefined {
  if (!isReady(behavior, age)) return 1;
  return behavior.execExit !== undefined && age >= (behavior.from ?? 0) ? behavior.execExit : undefined;
}

function lifetime(
  process: Process,
  behavior: Behavior,
  age: number,
  present: () => Present,
): Promise<ExitStatus> {
  if (behavior.exit === undefined && !behavior.oom) return new Promise(() => {});
  const status: ExitStatus = behavior.oom ? { signal: 'KILL', oom: true } : { code: behavior.exit ?? 0 };
  return process.clock.run(async () => {
    await process.sleep(Math.max(0, (behavior.after ?? 0) - age));
    if (present()[0] !== behavior) await process.clock.idle(new Promise(() => {}));
    return status;
  });
}

/** Signals that end a container by default. */
const DEADLY = ['TERM', 'INT', 'QUIT', 'HUP', 'USR1', 'USR2'] as const;

function untilSignalled(process: Process, { ignore = [], onTerm }: Behavior): Promise<ExitStatus> {
  return new Promise((resolve) => {
    for (const signal of DEADLY) process.onSignal(signal, () => resolve({ signal }));
    if (onTerm !== undefined) {
      process.onSignal('TERM', () => {
        process.onSignal('TERM', 'ignore');
        process.clock.setTimer(onTerm.after, () => resolve({ code: onTerm.code }));
      });
    }
    for (const signal of ignore) process.onSignal(signal, 'ignore');
  });
}

function keepLogging(process: Process, text: string, every: number | undefined): void {
  const line = Buffer.from(`${text}\n`);
  void process.clock
    .run(async () => {
      await process.stdout.write(line);
      while (every !== undefined) {
        await process.sleep(every);
        await process.stdout.write(line);
      }
    })
    .catch(() => {});
}

async function serve(process: Process, given: Behavior, present: () => Present): Promise<void> {
  const { http: opened = [], healthy = [] } = given;
  const isWell = () => {
    const [behavior = given, age] = present();
    return isReady(behavior, age);
  };
  for (const port of new Set([...opened.map((one) => one.port), ...healthy])) {
    const other = healthy.includes(port) ? 200 : 404;
    const status = (path: string) => {
      const [{ http = [] } = given] = present();
      return isWell() ? (http.find((one) => one.port === port && one.path === path)?.code ?? other) : 503;
    };
    const take = createAnyServer(process.clock, { status, isWell });
    await process.listen(port, take).catch(async (error: unknown) => {
      process.killed.throwIfAborted();
      if (!healthy.includes(port)) throw error;
      // The behavior only assumes that the container listens on this port.
      await process.stderr.write(Buffer.from(`can't listen on port ${port}: ${messageOf(error)}\n`));
    });
  }
}

function untilKilled(process: Process): Promise<never> {
  return new Promise((_, reject) => {
    process.killed.addEventListener('abort', () => reject(process.killed.reason), { once: true });
  });
}
