import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { builtFile } from '../support/program.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
const guarded = builtFile('src/kubelet/hosts/program/guarded-process.js');

/** A process that guards a program, which writes its pid into the directory. It kills the program at SIGUSR2. */
function parent(directory: string) {
  const text = `
    import { spawnGuarded } from ${JSON.stringify(guarded)};
    let program;
    // Before the program can run: the signal ends a process that does not listen.
    process.on('SIGUSR2', () => program.kill());
    program = spawnGuarded({
      program: 'sh', args: ['-c', 'echo $$ >${directory}/pid; exec sleep 1000'], directory: ${JSON.stringify(directory)},
      log: '/dev/null', ended: (reason) => console.log(reason),
    });
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const waitFor = (what: () => boolean) => eventually(what).toBe(true);

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

async function started(directory: string): Promise<number> {
  const file = join(directory, 'pid');
  await waitFor(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  return Number(readFileSync(file, 'utf8'));
}

slow('a killed process leaves neither its program nor its directory behind', async () => {
  const directory = temporary();
  const guard = parent(directory);
  const pid = await started(directory);
  expect(isAlive(pid)).toBe(true);
  // To remove them takes longer than the program's end.
  for (let file = 0; file < 5000; file++) writeFileSync(join(directory, `${file}`), '');
  guard.kill('SIGKILL');
  await waitFor(() => !isAlive(pid) && !existsSync(directory));
});

test('kill ends the program, and the directory stays', async () => {
  const directory = temporary();
  const guard = parent(directory);
  try {
    const pid = await started(directory);
    guard.kill('SIGUSR2');
    const [reason] = await once(guard.stdout, 'data');
    expect(String(reason)).toBe('exit code SIGKILL\n');
    await waitFor(() => !isAlive(pid));
    expect(existsSync(directory)).toBe(true);
  } finally {
    guard.kill('SIGKILL');
  }
});
