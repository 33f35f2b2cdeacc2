import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What `simulated.mjs` prints. */
interface Simulated {
  readonly seconds: number;
  readonly calls: number;
  /** The most that was in use on the heap, in MiB, looked at ten times a second of real time. */
  readonly heap: number;
  /** Of the calls, the rows and the events, each in their order; calls of one instant have none. */
  readonly hash: string;
  /** Microseconds by file; empty without a profile. */
  readonly times: Readonly<Record<string, number>>;
}

export type Over = 'process' | 'socket';

export async function simulated(scenario: object, over: Over, profile?: 'profile'): Promise<Simulated> {
  const program = new URL('../simulated.mjs', import.meta.url).pathname;
  const options = [JSON.stringify(scenario), over, ...(profile === undefined ? [] : [profile])];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options]);
  return JSON.parse(stdout) as Simulated;
}

/** The first that fits a file's address says which part it belongs to. */
const PARTS: readonly (readonly [part: string, address: RegExp])[] = [
  ['grpc-js, the server', /@grpc\/grpc-js/],
  ['encoding', /\/src\/cri\/gen\/|@bufbuild/],
  ['other packages', /\/node_modules\//],
  ['the kubelet', /\/src\/kubelet\//],
  ['the gRPC client', /\/src\/cri\//],
  ['the server', /\/src\/server\//],
  ['the clock', /\/src\/clock\//],
  ['engine and backend', /\/src\/engine\/|\/adapters\//],
  ['faults and scenario', /\/dist\/src\//],
  ['reading code', /^node:(internal\/)?(modules|bootstrap|deps|fs|url|vm)/],
  [
    'promises and async context',
    /^node:(internal\/)?(async_hooks|process|abort|event_target|timers)|runMicrotasks/,
  ],
  ['HTTP/2 and streams of Node', /^node:/],
  ['garbage collection', /garbage/],
];

/** Percent of the main thread's time by part, the largest first, without what it idled. */
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
