import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Output of `simulated.mjs`. */
interface Simulated {
  readonly seconds: number;
  readonly calls: number;
  /** Maximum heap in use, in MiB, sampled ten times per second of real time. */
  readonly heap: number;
  /** Of the calls, rows and events, each in order; the order of calls within one instant does not count. */
  readonly hash: string;
  /** Microseconds per file; empty without a profile. */
  readonly times: Readonly<Record<string, number>>;
}

export type Over = 'process' | 'socket';

export async function simulated(scenario: object, over: Over, profile?: 'profile'): Promise<Simulated> {
  const program = new URL('../simulated.mjs', import.meta.url).pathname;
  const options = [JSON.stringify(scenario), over, ...(profile === undefined ? [] : [profile])];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options]);
  return JSON.parse(stdout) as Simulated;
}

/** The first pattern that matches a file's URL selects its component. */
const PARTS: readonly (readonly [part: string, address: RegExp])[] = [
  ['grpc-js, the server', /@grpc\/grpc-js/],
  ['encoding', /\/src\/cri\/gen\/|@bufbuild/],
  ['other packages', /\/node_modules\//],
  ['the kubelet', /\/src\/kubelet\//],
  ['the gRPC client', /\/src\/cri\//],
  ['the server', /\/src\/runtime\/server\//],
  ['the clock', /\/src\/base\/clock\//],
  ['engine and backend', /\/src\/runtime\/engine\/|\/adapters\//],
  ['faults and scenario', /\/dist\/src\//],
  ['reading code', /^node:(internal\/)?(modules|bootstrap|deps|fs|url|vm)/],
  [
    'promises and async context',
    /^node:(internal\/)?(async_hooks|process|abort|event_target|timers)|runMicrotasks/,
  ],
  ['HTTP/2 and streams of Node', /^node:/],
  ['garbage collection', /garbage/],
];

/** Share of the main thread's busy time by component in percent, largest first. */
export function sharesOf(
  times: Readonly<Record<string, number>>,
): (readonly [part: string, percent: number])[] {
  const sums = new Map<string, number>();
  for (const [address, time] of Object.entries(times)) {
    if (address === '(idle)') continue;
    const part = PARTS.find(([, pattern]) => pattern.test(address))?.[0] ?? 'V8 and native code';
    sums.set(part, (sums.get(part) ?? 0) + time);
  }
  const all = [...sums.values()].reduce((sum, time) => sum + time, 0);
  return [...sums].map(([part, time]) => [part, (100 * time) / all] as const).sort((a, b) => b[1] - a[1]);
}
