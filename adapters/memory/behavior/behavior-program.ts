import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExitStatus, Process, Program } from '../../../src/linux/process/process.js';
import type { Behavior } from './parse-behavior.js';

/** The program that does what a behavior says; `age` is what it had run before a checkpoint, in ms. */
export function behaviorProgram(behavior: Behavior, age = 0): Program {
  return async (process) => {
    const signalled = untilSignalled(process, behavior);
    const startedAt = process.clock.elapsed() - age;
    await serveHttp(process, behavior, startedAt);
    if (behavior.log !== undefined) keepLogging(process, behavior.log, behavior.every);
    return process.clock.idle(
      Promise.race([lifetime(process, behavior, age), signalled, untilKilled(process)]),
    );
  };
}

/** Whether the container is ready, so many ms after its start. */
export const isReady = ({ readyAfter = 0, readyUntil = Infinity }: Behavior, age: number): boolean =>
  age >= readyAfter && age < readyUntil;

/** The exit code that the behavior gives to every exec; undefined if it leaves them alone. */
export function execExitOf(behavior: Behavior, age: number): number | undefined {
  if (!isReady(behavior, age)) return 1;
  return behavior.execExit !== undefined && age >= (behavior.from ?? 0) ? behavior.execExit : undefined;
}

function lifetime(process: Process, behavior: Behavior, age: number): Promise<ExitStatus> {
  if (behavior.exit === undefined && !behavior.oom) return new Promise(() => {});
  const status: ExitStatus = behavior.oom ? { signal: 'KILL', oom: true } : { code: behavior.exit ?? 0 };
  return process.clock.run(async () => {
    await process.sleep(Math.max(0, (behavior.after ?? 0) - age));
    return status;
  });
}

/** Signals that end a container which doesn't say otherwise. */
const DEADLY = ['TERM', 'INT', 'QUIT', 'HUP', 'USR1', 'USR2'] as const;

/** The end by a signal: at once, or on TERM after a while with a code, as the behavior says. */
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

async function serveHttp(process: Process, behavior: Behavior, startedAt: number): Promise<void> {
  const ports = new Set((behavior.http ?? []).map(({ port }) => port));
  for (const port of ports) {
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0];
      const answer = behavior.http?.find((one) => one.port === port && one.path === path);
      const ready = isReady(behavior, process.clock.elapsed() - startedAt);
      response.writeHead(ready ? (answer?.code ?? 404) : 503, { connection: 'close' });
      response.end();
    });
    await process.listen(port, (connection: Duplex) => void server.emit('connection', connection));
  }
}

function untilKilled(process: Process): Promise<never> {
  return new Promise((_, reject) => {
    process.killed.addEventListener('abort', () => reject(process.killed.reason), { once: true });
  });
}
