import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { startOnClock } from '../../src/kubelet/hosts/virtual/clocked-program.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();

/**
 * A program that asks as one does that was built for virtual time; `ask` returns the seconds since its start. `until` is then the
 * time up to which it may move its clock by itself, as `reach` does.
 */
const PROGRAM = `
  const { readSync, writeSync } = require('node:fs');
  const start = BigInt(process.env.MOCKRI_TIME);
  let sequence = 0n;
  let reached = start;
  let until;
  const reach = (seconds) => { reached = start + BigInt(seconds * 1e9); };
  const write = (number, next) => {
    const question = Buffer.alloc(32);
    [number, reached, next].forEach((value, at) => question.writeBigInt64LE(value, 8 * at));
    writeSync(4, question);
  };
  const end = () => write(0n, 0n);
  const ask = (seconds) => {
    write(++sequence, seconds === undefined ? 2n ** 63n - 1n : start + BigInt(seconds * 1e9));
    const answer = Buffer.alloc(24);
    if (readSync(3, answer, 0, 24, null) === 0) process.exit(3);
    if (answer.readBigInt64LE(0) !== sequence) throw new Error('an answer to another question');
    until = Number(answer.readBigInt64LE(16) - start) / 1e9;
    return Number(answer.readBigInt64LE(8) - start) / 1e9;
  };
`;

function start(text: string, clock = createVirtualClock(), directory = temporary(), ahead = 0) {
  const log = join(directory, 'log');
  const heard: string[] = [];
  const seconds = () => clock.elapsed() / 1000;
  const program = startOnClock({
    clock,
    seed: 1,
    ahead,
    command: ['sh', '-c', `cd ${directory} && exec "$@"`, 'sh', process.execPath, '-e', PROGRAM + text],
    directory,
    log,
    said: (line) => void heard.push(`${seconds()} said ${line}`),
    ended: (how) => void heard.push(`${seconds()} ${how}`),
  });
  return { clock, directory, program, heard, said: () => readFileSync(log, 'utf8').trim().split('\n') };
}

test('time moves to the nearest timer of this process and of the program', async () => {
  const { clock, said, program } = start('for (const at of [2, 4, 6]) console.log(ask(at)); ask()');
  const fired: number[] = [];
  clock.setTimer(3000, () => void fired.push(clock.elapsed()));
  await clock.advance(3500);
  expect(fired).toEqual([3000]);
  expect(said()).toEqual(['2']);
  await clock.advance(10_000);
  expect(clock.elapsed()).toBe(13_500);
  expect(said()).toEqual(['2', '4', '6']);
  await program.kill();
});

test('a program may move its clock by itself to just before the next timer of this process, or the end', async () => {
  const { clock, said, program } = start('for (const at of [1, 4]) { ask(at); console.log(until); } ask()');
  clock.setTimer(3000, () => {});
  await clock.advance(10_000);
  expect(said()).toEqual(['2.999999999', '10']);
  await program.kill();
});

test('a program does not move its clock by itself before another program has started', async () => {
  const { clock, said, program } = start('ask(1); console.log(until); ask()');
  let second: ReturnType<typeof start> | undefined;
  clock.setTimer(1000, () => {
    second = start('ask(3); ask()', clock);
  });
  await clock.advance(10_000);
  expect(said()).toEqual(['1']);
  await Promise.all([program.kill(), second?.program.kill()]);
});

test('a program that is started runs only when those before it wait', async () => {
  const clock = createVirtualClock();
  const file = join(temporary(), 'order');
  const note = (name: string) => `require('node:fs').appendFileSync('${file}', '${name}');`;
  // If each program ran as soon as it is started, the second one would write first: the first one sleeps.
  const first = start(
    `require('node:child_process').execFileSync('sleep', ['0.5']); ${note('a')} ask()`,
    clock,
  );
  const second = start(`${note('b')} ask()`, clock);
  await clock.advance(1);
  expect(readFileSync(file, 'utf8')).toBe('ab');
  await Promise.all([first.program.kill(), second.program.kill()]);
});

test('a program that is killed before its first turn does not run', async () => {
  const { clock, heard, program } = start('console.log("runs"); ask()');
  await program.kill();
  await clock.advance(1000);
  expect(heard).toEqual([]);
});

test('actions of a program that moved its own clock happen at that time', async () => {
  const { clock, heard, program } = start(
    'ask(1); reach(2.5); console.log("moved"); ask(4); console.log("asked"); ask()',
  );
  await clock.advance(10_000);
  expect(heard).toEqual(['2.5 said moved', '4 said asked']);
  await program.kill();
});

test('a paused program does nothing until it is resumed, while time passes', async () => {
  const { clock, heard, program } = start('for (const at of [1, 2, 9]) console.log(ask(at)); ask()');
  await clock.advance(1500);
  program.pause();
  await clock.advance(5000);
  expect(heard).toEqual(['1 said 1']);
  program.resume();
  await clock.advance(5000);
  expect(heard).toEqual(['1 said 1', '6.5 said 6.5', '9 said 9']);
  program.pause();
  await program.kill();
});

test('of several pauses of a program, the one that ends last counts', async () => {
  const { clock, heard, program } = start('for (const at of [1, 2, 5]) console.log(ask(at)); ask()');
  await clock.advance(1500);
  program.pause(2000);
  program.pause(500);
  await clock.advance(3000);
  expect(heard).toEqual(['1 said 1', '3.5 said 3.5']);
  program.pause(1000);
  program.pause();
  await clock.advance(5500);
  program.resume();
  await clock.advance(1000);
  expect(heard).toEqual(['1 said 1', '3.5 said 3.5', '10 said 10']);
  await program.kill();
});

test.each([
  [30_000, 30],
  [-30_000, 30],
  [0.5, 0.0005],
])('the clock of a program is %d ms ahead', async (ahead, second) => {
  const text =
    'console.log(Number(start % 60_000_000_000n) / 1e9); ask(2); reach(2.5); console.log(ask(4)); ask()';
  const { clock, heard, program } = start(text, createVirtualClock(), undefined, ahead);
  await clock.advance(10_000);
  expect(heard).toEqual([`0 said ${second}`, '4 said 4']);
  await program.kill();
});

test('a program that has moved its clock by itself ends at that time', async () => {
  const { clock, heard } = start('ask(1); reach(2.5); end(); process.exit(7)');
  await clock.advance(10_000);
  expect(heard).toEqual(['2.5 exit code 7']);
});

test('data sent to the program wakes it at that instant', async () => {
  const [clock, directory] = [createVirtualClock(), temporary()];
  const server = createServer((socket) => {
    clock.wires.follow(socket);
    for (const at of [1000, 2500]) clock.setTimer(at, () => void socket.write(`sent at ${at}`));
  });
  await new Promise<void>((resolve) => server.listen(join(directory, 'wire'), resolve));
  const text = `
    const socket = require('node:net').connect('wire');
    let text = '';
    socket.on('data', (data) => { text += data; });
    const turns = async () => {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    (async () => {
      for (let at = 0; at < 60; at = ask(60)) {
        await turns();
        if (text !== '') console.log(at, text);
        text = '';
      }
      ask();
    })();`;
  const { said, program } = start(text, clock, directory);
  await clock.advance(10_000);
  expect(said()).toEqual(['1 sent at 1000', '2.5 sent at 2500']);
  await program.kill();
  server.close();
});

test('the end of a program is reported with what it said last, and not with what an earlier one said', async () => {
  const directory = temporary();
  const clock = createVirtualClock();
  const first = start('console.log("E0101 the first"); ask()', clock, directory);
  await clock.advance(1000);
  await first.program.kill();
  const { heard } = start('console.log("no such file"); process.exit(2)', clock, directory);
  await clock.advance(1000);
  expect(heard.at(-1)).toBe('1 exit code 2\nno such file');
});

test('the end of a program is reported with its exit code', async () => {
  const { clock, heard } = start('ask(5); process.exit(7)');
  await clock.advance(10_000);
  expect(heard).toEqual(['5 exit code 7']);
});

test('output of the program arrives at its time', async () => {
  const { clock, heard, program } = start('console.log(ask(1)); console.log(ask(2.5)); ask()');
  await clock.advance(10_000);
  expect(heard).toEqual(['1 said 1', '2.5 said 2.5']);
  await program.kill();
});

slow('a program may run longer than the guard waits before it reports passing time', async () => {
  const { clock, heard, program } = start(`
    require('node:child_process').execFileSync('sleep', ['3']);
    console.log(ask(1));
    ask();`);
  await clock.advance(10_000);
  expect(heard).toEqual(['1 said 1']);
  await program.kill();
});

test('the clock continues after a program is killed without a message', async () => {
  const { clock, heard, program } = start('ask(5); ask()');
  await clock.advance(1000);
  await program.kill();
  await clock.advance(10_000);
  expect(heard).toEqual([]);
});

test('the pipes have no names any more while the program runs', async () => {
  const { clock, directory, program } = start('ask()');
  await clock.advance(1);
  expect(['answers', 'questions'].filter((name) => existsSync(join(directory, name)))).toEqual([]);
  await program.kill();
});
