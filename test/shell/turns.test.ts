import { expect, it } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { turn } from '../../src/base/clock/turn.js';
import { createPrograms } from '../../src/linux/commands/index.js';
import type { ContainerView } from '../../src/linux/process/process.js';
import { ProcessTable } from '../../src/linux/process/process-table.js';
import { containerFiles, someView } from '../support/linux/container-files.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Runs a script in real time, and answers how many turns of the event loop others had meanwhile. */
async function turnsDuring(script: string): Promise<{ code: number | undefined; turns: number }> {
  const clock = createRealClock();
  const view: ContainerView = {
    ...someView,
    processes: () => processes.list(),
    ownProcesses: () => processes.list(),
  };
  const fs = containerFiles(
    'busybox',
    {},
    view,
    ['sh', 'rm', 'chmod', 'find', 'du', 'ls', 'cp', 'sort', 'seq', 'mkdir'],
    clock,
  );
  const refuse = () => Promise.reject(new Error('no network here'));
  const processes: ProcessTable = new ProcessTable({ clock, fs, view, connect: refuse, listen: refuse });
  const programs = createPrograms();
  const env = new Map([['PATH', '/bin']]);
  const user = { uid: 0, gid: 0, groups: [0], name: 'root' };
  await fs.mkdir('/d');
  for (let n = 0; n < 10_000; n++) await fs.writeFile(`/d/${n}`, Buffer.alloc(0));
  const program = await programs.find('sh', { fs, cwd: '/', env });
  if (program === undefined) throw new Error('no shell');
  const { exit } = processes.start({ argv: ['sh', '-c', script], program, user, env });
  let isOver = false;
  void exit.then(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await turn();
  return { code: (await exit).code, turns };
}

const CASES = [
  ['rm', 'rm -r /d'],
  ['chmod', 'chmod -R 700 /d'],
  ['find', 'find /d -type l'],
  ['du', 'du -s /d'],
  ['cp', 'cp -r /d /e'],
  ['a pattern', 'echo /d/* >/dev/null'],
  ['a deep directory', `mkdir -p ${'a/'.repeat(1000)}; rm -r a`],
] as const;
const cases = sampleOf(CASES, 2);

it.each(cases)(
  `others have their turns during %s (${ofAll(cases.length, CASES.length, 'commands')})`,
  async (_, script) => {
    const { code, turns } = await turnsDuring(script);
    expect(code).toBe(0);
    // Without asking for turns, a script takes one or two: it begins and it ends.
    expect(turns).toBeGreaterThan(3);
  },
);
