import { statfs } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';

/** The rig's clock starts at 2026-11-21T07:11:05.123456789Z. */
describe('date', () => {
  it.each([
    ['date', 'Sat Nov 21 07:11:05 UTC 2026'],
    ['date +%s', '1795245065'],
    ['date +%F_%T.%N', '2026-11-21_07:11:05.123456789'],
    ['date +%3N', '123'],
    ['date -u +%Y-%m-%dT%H:%M:%SZ', '2026-11-21T07:11:05Z'],
    ['date +%a|%A|%b|%B|%j|%u|%w|%U', 'Sat|Saturday|Nov|November|325|6|6|46'],
    ['date +%I:%M%p|%k|%l|%e|%y|%C|%%|%z|%Z|%q', '07:11AM| 7| 7|21|26|20|%|+0000|UTC|%q'],
    ['date -R', 'Sat, 21 Nov 2026 07:11:05 +0000'],
    ['date -I', '2026-11-21'],
    ['date -Iseconds', '2026-11-21T07:11:05+0000'],
    ['date -d @0', 'Thu Jan  1 00:00:00 UTC 1970'],
    ['date -d 2026-03-04 +%j', '063'],
  ])('%s', async (line, expected) => {
    expect(await createRig().run(line)).toEqual({ status: { code: 0 }, stdout: `${expected}\n`, stderr: '' });
  });

  it('reckons from now', async () => {
    const { run } = createRig();
    expect((await run(['date', '-d', '2 days ago', '+%F'])).stdout).toBe('2026-11-19\n');
    expect((await run(['date', '-d', '+90 minutes', '+%T'])).stdout).toBe('08:41:05\n');
    await run('sleep 60');
    expect((await run('date +%T')).stdout).toBe('07:12:05\n');
  });

  it.each([
    ['date -s 2026-01-01', "date: can't set date: Operation not permitted\n"],
    ['date -d whenever', "date: invalid date 'whenever'\n"],
  ])('%s fails', async (line, stderr) => {
    expect(await createRig().run(line)).toEqual({ status: { code: 1 }, stdout: '', stderr });
  });
});

describe('nmeter', () => {
  it.each([
    ["nmeter -d0 '%3t' | head -n1", '07:11:05.123\n'],
    ["nmeter -d 500 '%t %%' | head -n3", '07:11:05 %\n07:11:05 %\n07:11:06 %\n'],
    ["nmeter -d -1 '%6t'", '07:11:05.123456\n'],
  ])('%s', async (line, stdout) => {
    expect(await createRig().run(['sh', '-c', line])).toMatchObject({ status: { code: 0 }, stdout });
  });

  it('says what it lacks', async () => {
    expect((await createRig().run('nmeter %c')).stderr).toBe(
      'nmeter: %c is not simulated; there are %t, %1t to %6t, %%\n',
    );
  });
});

describe('the host', () => {
  it.each([
    ['hostname', 'web-0\n'],
    ['hostname -i', '127.64.0.1\n'],
    ['uname', 'Linux\n'],
    ['uname -a', 'Linux web-0 6.8.0-mockri #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n'],
    ['uname -rm', '6.8.0-mockri x86_64\n'],
    ['arch', 'x86_64\n'],
    ['nproc', '4\n'],
  ])('%s', async (line, stdout) => {
    expect(await createRig().run(line)).toEqual({ status: { code: 0 }, stdout, stderr: '' });
  });

  it('has memory, disks and an uptime', async () => {
    const { run } = createRig();
    expect((await run('free -m')).stdout).toMatch(
      /^ +total +used[^\n]*\nMem: +8192 +2048 +4096 +0 +2048 +6144\nSwap: /,
    );
    expect((await run('df -h /')).stdout).toContain(
      'overlay                 100.0G     25.0G     75.0G       25% /\n',
    );
    expect((await run('uptime')).stdout).toMatch(/^ 07:11:05 up /);
    expect((await run('mount')).stdout).toContain('proc on /proc type proc (');
    expect((await run('mount -t cgroup2')).stdout).toBe(
      'cgroup on /sys/fs/cgroup type cgroup2 (ro,relatime)\n',
    );
    expect((await run('mount -t proc,cgroup2')).stdout.split('\n')).toHaveLength(3);
    expect((await run('df')).stdout).not.toContain('cgroup');
  });

  it('shows how large the file systems of mounted directories are', async () => {
    const { bsize, blocks } = await statfs('/dev/shm');
    const { run } = createRig({ mounts: [{ containerPath: '/cache', hostPath: '/dev/shm' }] });
    const [size = '', , , used = '', path] =
      (await run('df -m /cache')).stdout.split('\n')[1]?.split(/ +/).slice(1) ?? [];
    expect(Number(size)).toBe(Math.round((bsize * blocks) / 1024 ** 2));
    expect(used).toMatch(/^\d+%$/);
    expect(path).toBe('/cache');
  });

  it('shows sysctls, and lets nobody change them', async () => {
    const { run } = createRig();
    expect((await run('sysctl fs.mqueue.msg_max')).stdout).toBe('fs.mqueue.msg_max = 100\n');
    expect((await run('sysctl fs/mqueue/msg_max')).stdout).toBe('fs.mqueue.msg_max = 100\n');
    expect((await run('sysctl -n kernel.hostname')).stdout).toBe('web-0\n');
    expect(await run('sysctl -w vm.swappiness=1')).toEqual({
      status: { code: 1 },
      stdout: '',
      stderr: "sysctl: error setting key 'vm.swappiness': Read-only file system\n",
    });
    expect((await run('sysctl no.such')).stderr).toBe(
      "sysctl: error reading key 'no.such': No such file or directory\n",
    );
  });

  it.each([
    ['dmesg', 'dmesg: klogctl: Operation not permitted\n'],
    ['mount --bind /etc /mnt', 'mount: mounting /etc on /mnt failed: Operation not permitted\n'],
    ['umount /proc', "umount: can't unmount /proc: Operation not permitted\n"],
    ['unshare -n', 'unshare: unshare failed: Operation not permitted\n'],
    ['brctl addbr foobar', 'brctl: bridge foobar: Operation not permitted\n'],
  ])('%s is refused', async (line, stderr) => {
    expect(await createRig().run(line)).toEqual({ status: { code: 1 }, stdout: '', stderr });
  });

  it('lets NET_ADMIN make a bridge, if root has it', async () => {
    const view = { capabilities: ['NET_ADMIN'] };
    expect((await createRig({ view }).run('brctl addbr foobar')).status).toEqual({ code: 0 });
    const user = { uid: 1000, gid: 1000, groups: [], name: '' };
    expect((await createRig({ view, user }).run('brctl addbr foobar')).status).toEqual({ code: 1 });
  });
});

it('ulimit keeps what it sets for the process and its children', async () => {
  const line =
    "ulimit -n; ulimit -n 4096 && sh -c 'ulimit -n'; (ulimit -Sc 0); ulimit -c; ulimit -l unlimited && ulimit -n x";
  expect(await createRig().run(['sh', '-c', line])).toMatchObject({
    status: { code: 1 },
    stdout: '1048576\n4096\nunlimited\n',
  });
});
