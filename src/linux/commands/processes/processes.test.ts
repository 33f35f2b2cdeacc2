import { describe, expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';
import type { Program } from '../../process/process.js';

const sleeper: Program = async (process) => {
  await process.sleep(60_000);
  return { code: 7 };
};
const stubborn: Program = async (process) => {
  process.onSignal('TERM', 'ignore');
  return sleeper(process);
};
const rig = (options: Parameters<typeof createRig>[0] = {}) =>
  createRig({ programs: { sleeper, stubborn }, ...options });

describe('sleep', () => {
  it.each([
    ['sleep 1.5', 1500],
    ['sleep .25 1', 1250],
    ['sleep 2m', 120_000],
    ['sleep 1h 1d', 90_000_000],
  ])('%s takes %i ms', async (line, expected) => {
    const { clock, run } = rig();
    const began = clock.elapsed();
    expect((await run(line)).status).toEqual({ code: 0 });
    expect(clock.elapsed() - began).toBe(expected);
  });

  it('refuses what is no number', async () => {
    expect(await rig().run('sleep 1x')).toEqual({
      status: { code: 1 },
      stdout: '',
      stderr: "sleep: invalid number '1x'\n",
    });
  });

  it('never ends by itself when it is infinite, and TERM ends it', async () => {
    const { clock, start } = rig();
    const { process } = await start('sleep infinity');
    await clock.advance(1e9);
    expect(process.killed.aborted).toBe(false);
    process.container.kill(process.pid, 'TERM');
    expect(await process.exit).toEqual({ signal: 'TERM' });
  });
});

describe('timeout', () => {
  it.each([
    ['timeout 5 sleeper', 124, 5000],
    ['timeout 2m sleeper', 7, 60_000],
    ['timeout -s KILL 5 sleeper', 137, 5000],
    ['timeout -k 3 5 stubborn', 137, 8000],
    ['timeout --preserve-status 5 sleeper', 143, 5000],
    ['timeout 5 nothing', 127, 0],
    ['timeout soon sleeper', 125, 0],
  ])('%s ends with %i after %i ms', async (line, code, expected) => {
    const { clock, run, processes } = rig();
    const began = clock.elapsed();
    expect((await run(line)).status).toEqual({ code });
    expect(clock.elapsed() - began).toBe(expected);
    expect(processes.list()).toHaveLength(1);
  });
});

describe('time', () => {
  it('prints how long a command took', async () => {
    const { status, stderr } = await rig().run('time sleep 61.5');
    expect(status).toEqual({ code: 0 });
    expect(stderr).toBe('real\t1m 1.50s\nuser\t0m 0.00s\nsys\t0m 0.00s\n');
  });
});

describe('ps', () => {
  it('lists processes as busybox does', async () => {
    const { start, run } = rig();
    await start(['sleeper', '9 9']);
    expect((await run('ps aux')).stdout).toBe(
      [
        'PID   USER     TIME  COMMAND',
        '    1 root      0:00 init',
        '    2 root      0:00 sleeper 9 9',
        '    3 root      0:00 ps aux',
        '',
      ].join('\n'),
    );
  });

  it('shows the columns that are asked for', async () => {
    const { stdout } = await rig().run('ps -o pid,user=WHO -o comm');
    expect(stdout).toBe(
      ['PID   WHO      COMMAND', '    1 root     init', '    2 root     ps', ''].join('\n'),
    );
  });

  it('names the columns that there are', async () => {
    const { status, stderr } = await rig().run('ps -o colour');
    expect(status).toEqual({ code: 1 });
    expect(stderr).toMatch(/^ps: bad -o argument 'colour', supported arguments: pid,ppid,/);
  });
});

describe('top', () => {
  it('prints one batch and ends', async () => {
    const { stdout, status } = await rig().run('top -b -n1');
    expect(status).toEqual({ code: 0 });
    expect(stdout).toContain('  PID  PPID USER     STAT    VSZ %VSZ CPU %CPU COMMAND\n');
    expect(stdout.split('\n').filter((line) => line.endsWith('init'))).toHaveLength(1);
  });

  it('ends on TERM by its own handler', async () => {
    const { start } = rig();
    const { process } = await start('top');
    process.container.kill(process.pid, 'TERM');
    expect(await process.exit).toEqual({ code: 143 });
  });
});

describe('signals', () => {
  it.each([
    ['kill 2', { signal: 'TERM' }],
    ['kill -9 2', { signal: 'KILL' }],
    ['kill -s INT 2', { signal: 'INT' }],
    ['kill -SIGHUP -- 2', { signal: 'HUP' }],
    ['kill -- -2', { signal: 'TERM' }],
    ['killall sleeper', { signal: 'TERM' }],
    ['pkill -USR1 slee', { signal: 'USR1' }],
    ['pkill -f ^sleeper.x', { signal: 'TERM' }],
  ])('%s ends a process', async (line, expected) => {
    const { start, run } = rig();
    const { process } = await start('sleeper x');
    expect(await run(line)).toEqual({ status: { code: 0 }, stdout: '', stderr: '' });
    expect(await process.exit).toEqual(expected);
  });

  it.each([
    ['kill 99', "kill: can't kill pid 99: No such process\n"],
    ['kill -x 1', "kill: invalid number '-x'\nkill: can't kill pid 1: Operation not permitted\n"],
    ['kill -FOO 1', "kill: bad signal name 'FOO'\n"],
    ['kill', 'kill: you need to specify whom to kill\n'],
    ['killall nobody', 'killall: nobody: no process killed\n'],
  ])('%s says why it failed', async (line, stderr) => {
    const user = { uid: 1000, gid: 1000, groups: [], name: '' };
    const { run, processes } = rig({ user });
    const others = processes.list().find(({ pid }) => pid === 1);
    Object.assign(others ?? {}, { user: { ...user, uid: 0 } });
    expect(await run(line)).toEqual({ status: { code: 1 }, stdout: '', stderr });
  });

  it('lists and translates signals', async () => {
    const { run } = rig();
    expect((await run('kill -l')).stdout).toContain(' 9) KILL\n');
    expect((await run('kill -l 143 TERM')).stdout).toBe('TERM\n15\n');
  });

  it('does nothing but look with signal 0', async () => {
    const { start, run } = rig();
    const { process } = await start('sleeper');
    expect((await run('kill -0 2')).status).toEqual({ code: 0 });
    expect(process.killed.aborted).toBe(false);
  });
});

describe('pgrep and pidof', () => {
  it.each([
    ['pgrep slee', '2\n3\n', 0],
    ['pgrep -x slee', '', 1],
    ['pgrep -c slee', '2\n', 0],
    ['pgrep -c nothing', '0\n', 1],
    ['pgrep -l sleeper', '2 sleeper\n3 sleeper\n', 0],
    ['pgrep -n sleeper', '3\n', 0],
    ['pgrep -a -f two', '3 sleeper two\n', 0],
    ['pgrep pgrep', '', 1],
    ['pidof sleeper', '3 2\n', 0],
    ['pidof -s nothing sleeper || true', '3\n', 0],
    ['pidof nothing', '', 1],
  ])('%s prints %j', async (line, stdout, code) => {
    const { start, run } = rig();
    await start('sleeper one');
    await start('sleeper two');
    expect(await run(line)).toEqual({ status: { code }, stdout, stderr: '' });
  });
});

describe('env and those that run others', () => {
  it('shows and changes the environment', async () => {
    const { run } = rig();
    expect((await run('env A=1 B=x=y')).stdout).toBe('PATH=/usr/local/bin:/usr/sbin:/bin\nA=1\nB=x=y\n');
    expect((await run('env -i A=1 env')).stdout).toBe('A=1\n');
    expect((await run('env -u PATH A=1 printenv A')).stdout).toBe('1\n');
    expect((await run('printenv NOPE')).status).toEqual({ code: 1 });
  });

  it('ends with 127 when there is no such command', async () => {
    expect(await rig().run('env nothing')).toEqual({
      status: { code: 127 },
      stdout: '',
      stderr: "env: can't execute 'nothing': No such file or directory\n",
    });
  });

  it.each([
    ['env /etc/motd', "env: can't execute '/etc/motd': Permission denied\n"],
    ['xargs /etc/motd', 'xargs: /etc/motd: Permission denied\n'],
  ])('ends with 126 when it may not be executed: %s', async (line, stderr) => {
    const { run } = rig({ files: { '/etc/motd': 'hello' } });
    expect(await run(line)).toEqual({ status: { code: 126 }, stdout: '', stderr });
  });

  it('protects from HUP with nohup', async () => {
    const { start, clock } = rig();
    const { process } = await start('nohup sleeper');
    process.container.kill(process.pid, 'HUP');
    await clock.advance(60_000);
    expect(await process.exit).toEqual({ code: 7 });
  });
});

describe('id', () => {
  const files = {
    '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1001::/:/bin/sh\n',
    '/etc/group': 'root:x:0:\nwheel:x:10:root\nteam:x:1001:\nops:x:1002:app\n',
  };

  it.each([
    ['id', 'uid=0(root) gid=0(root) groups=0(root),10(wheel)\n'],
    ['id -u', '0\n'],
    ['id -nu', 'root\n'],
    ['id -G', '0 10\n'],
    ['id -Gn', 'root wheel\n'],
    ['id app', 'uid=1000(app) gid=1001(team) groups=1001(team),1002(ops)\n'],
    ['whoami', 'root\n'],
    ['groups', 'root wheel\n'],
  ])('%s', async (line, stdout) => {
    expect(await rig({ files }).run(line)).toEqual({ status: { code: 0 }, stdout, stderr: '' });
  });

  it('has no name for a user that the image lacks', async () => {
    const user = { uid: 4242, gid: 0, groups: [0, 7], name: '' };
    const { run } = rig({ files, user });
    expect((await run('id')).stdout).toBe('uid=4242 gid=0(root) groups=0(root),7\n');
    expect((await run('id -nu')).stderr).toBe('id: unknown ID 4242\n');
    expect((await run('whoami')).stderr).toBe('whoami: unknown uid 4242\n');
    expect((await run('id nobody')).stderr).toBe('id: unknown user nobody\n');
  });
});
