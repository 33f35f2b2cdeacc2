import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Duration of a command in s: real time, and processor time of all its processes. */
interface Taken {
  readonly seconds: number;
  readonly cpu: number;
}

/** Exit code 1 means findings, or failed expectations. */
const SCRIPT = '"$@" || test $? = 1; times >&2';

/** What a command of Mockri takes. */
export async function taken(command: readonly string[]): Promise<Taken> {
  const begun = performance.now();
  const { stderr } = await promisify(execFile)(
    'sh',
    ['-c', SCRIPT, 'sh', process.execPath, 'dist/src/cli/main.js', ...command],
    { maxBuffer: 1 << 28 },
  );
  const seconds = (performance.now() - begun) / 1000;
  // The last line of `times` has the children's times: "0m1.20s 0m0.30s".
  const parts = [...(stderr.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpu = parts.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
  return { seconds, cpu };
}
