// run-program.ts PROGRAM [SEED] [AHEAD]: runs a program alone on a virtual clock: each question gets the time of its
// next timer as answer. Prints the program's output; the number of questions, and the last trace, go to stderr.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAST, openChannel, type Question } from '../../../../src/kubelet/hosts/virtual/channel.js';

/** 2023-11-14T22:13:20Z */
const START = 1_700_000_000_000_000_000n;

const [program = '', seed = '1', ahead = '0'] = process.argv.slice(2);
/** Time in ns after an answer for which the program may move its clock itself. */
const alone = BigInt(ahead);
const directory = mkdtempSync(join(tmpdir(), 'mockri-virtual-time-'));
const channel = openChannel(directory);
rmSync(directory, { recursive: true });
const child = spawn(program, [], {
  stdio: ['ignore', 'inherit', 'inherit', ...channel.programEnds],
  env: { ...process.env, MOCKRI_TIME: String(START), MOCKRI_TIME_SEED: seed },
});
const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
channel.handOver();
let questions = 0;
let last: Question | undefined;
for (let read = channel.read(); typeof read === 'object'; read = channel.read()) {
  if (read.sequence === LAST) continue;
  questions += 1;
  last = read;
  if (read.next === undefined) throw new Error('the program waits for nothing');
  if (!channel.answer(read, read.next, read.next + alone)) break;
}
channel.close();
process.exitCode = await ended;
process.stderr.write(`${questions} questions, trace ${last?.trace.toString(16)}\n`);
