import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { containerFiles } from '../../../test/support/linux/container-files.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { isThorough } from '../../../test/support/thorough.js';
import { programOf } from './image-tree.js';

const slow = it.runIf(isThorough);

const container = (config: Parameters<typeof containerFiles>[1] = {}, image?: string) =>
  containerFiles(image, config);

const text = async (fs: ReturnType<typeof container>, path: string) => (await fs.readFile(path)).toString();

describe('a container without mounts', () => {
  it('has the files of its image and changes only its own copy', async () => {
    const [one, other] = [container(), container()];
    expect(programOf(await one.readFile('/bin/ls'))).toBe('ls');
    await one.unlink('/bin/ls');
    await expect(one.readFile('/bin/ls')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(programOf(await other.readFile('/bin/ls'))).toBe('ls');
    await one.writeFile('/etc/passwd', Buffer.from('x\n'), { append: true });
    expect(await text(one, '/etc/passwd')).toMatch(/^root:x:0:0.*\nx\n$/s);
    expect(await text(other, '/etc/passwd')).not.toMatch(/\nx\n$/);
    expect(one.used).toEqual({ bytes: (await one.stat('/etc/passwd')).size, files: 0 });
  });

  it('answers settings and scripts at once, and reads larger files piece by piece', async () => {
    const fs = container();
    await fs.writeFile('/etc/hosts', Buffer.alloc(1024 * 1024 + 1));
    await expect(fs.readFile('/etc/hosts')).rejects.toMatchObject({ code: 'EIO' });
    const file = await fs.open('/etc/hosts', 'r');
    expect(await file.read(10, 1024 * 1024)).toHaveLength(1);
  });

  it('has no shell if its image has none', async () => {
    await expect(container({}, 'registry.k8s.io/pause:3.9').stat('/bin/sh')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('shows the pod in /etc', async () => {
    const fs = container();
    expect(await text(fs, '/etc/hostname')).toBe('web-0\n');
    expect(await text(fs, '/etc/hosts')).toContain('127.64.0.1\tweb-0\n');
    expect(await text(fs, '/etc/resolv.conf')).toBe(
      'search google.com\nnameserver 10.10.10.10\noptions ndots:8\n',
    );
  });

  it('shows sysctls, cgroup and mounts', async () => {
    const fs = container({
      linux: { resources: { cpuQuota: 50_000n, cpuPeriod: 100_000n, memoryLimitInBytes: 1n << 20n } },
    });
    expect(await text(fs, '/proc/sys/fs/mqueue/msg_max')).toBe('100\n');
    expect(await text(fs, '/proc/sys/kernel/shm_rmid_forced')).toBe('0\n');
    expect(await text(fs, '/sys/fs/cgroup/cpu.max')).toBe('50000 100000\n');
    expect(await text(fs, '/sys/fs/cgroup/memory.max')).toBe('1048576\n');
    expect(await text(fs, '/proc/1/mounts').catch(String)).toContain('No such file');
    expect(await fs.readdir('/dev')).toEqual([
      'fd',
      'full',
      'mqueue',
      'null',
      'ptmx',
      'pts',
      'random',
      'shm',
      'stderr',
      'stdin',
      'stdout',
      'tty',
      'urandom',
      'zero',
    ]);
  });

  it('has the devices of its config in /dev, in the place of what is there', async () => {
    const paths = ['/dev/fpga', '/dev/dri/card0', '/dev/dri/../dri/card1', '/dev/fd', '/dev/pts/', '/etc/no'];
    const fs = container({ devices: paths.map((containerPath) => ({ containerPath })) });
    for (const path of ['/dev/fpga', '/dev/dri/card0', '/dev/dri/card1', '/dev/fd', '/dev/pts'])
      expect((await fs.stat(path)).kind).toBe('device');
    await expect(fs.stat('/etc/no')).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await container().stat('/dev/pts')).kind).toBe('directory');
  });

  slow('refuses endless devices, and endless directories of them', async () => {
    const withDevices = (count: number, path: (index: number) => string) =>
      container({ devices: Array.from({ length: count }, (_, index) => ({ containerPath: path(index) })) });
    const fs = withDevices(90_000, (index) => `/dev/d${index}`);
    expect(await fs.readdir('/dev')).toContain('d89999');
    const wide = withDevices(110_000, (index) => `/dev/d${index}`);
    await expect(wide.stat('/')).rejects.toMatchObject({ code: 'ENOSPC' });
    const deep = withDevices(1, () => `/dev${'/a'.repeat(110_000)}`);
    await expect(deep.stat('/')).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('refuses to be written where its config says so', async () => {
    const fs = container({
      linux: {
        securityContext: {
          readonlyRootfs: true,
          maskedPaths: ['/proc/acpi', '/etc/passwd'],
          readonlyPaths: ['/dev/shm'],
        },
      },
    });
    await expect(fs.writeFile('/tmp/test', Buffer.from(''))).rejects.toThrow('Read-only file system');
    await expect(fs.writeFile('/dev/shm/x', Buffer.from(''))).rejects.toMatchObject({ code: 'EROFS' });
    expect(await fs.readdir('/proc/acpi')).toEqual([]);
    expect(await text(fs, '/etc/passwd')).toBe('');
    await fs.writeFile('/dev/null', Buffer.from('x'));
  });

  it('checks permissions of users other than root', async () => {
    const fs = container();
    const user = fs.as({ pid: 7, cwd: '/tmp', umask: 0o022, user: { uid: 1000, gid: 1000, groups: [] } });
    await expect(user.readdir('/root')).rejects.toMatchObject({ code: 'EACCES' });
    await expect(user.writeFile('/etc/passwd', Buffer.from(''))).rejects.toMatchObject({ code: 'EACCES' });
    await fs.writeFile('/tmp/roots', Buffer.from(''));
    await expect(user.unlink('roots')).rejects.toMatchObject({ code: 'EPERM' });
    await user.writeFile('own', Buffer.from('mine'));
    expect(await fs.stat('/tmp/own')).toMatchObject({ uid: 1000, gid: 1000, size: 4 });
    await user.unlink('own');
  });

  slow('has a limited layer', async () => {
    const fs = container();
    const file = await fs.open('/big', 'w');
    const chunk = Buffer.alloc(32 * 1024 * 1024);
    for (let count = 0; count < 8; count++) await file.write(chunk);
    await expect(file.write(Buffer.alloc(1))).rejects.toThrow('No space left on device');
    await fs.unlink('/big');
    expect(fs.used).toEqual({ bytes: 8 * chunk.length, files: 0 });
    await file.close();
    expect(fs.used).toEqual({ bytes: 0, files: 0 });
  });
});

describe('mounts', () => {
  const temporary = useTemporaryDirectories();
  let host: string;
  beforeEach(async () => {
    host = temporary();
    await mkdir(join(host, 'volume/inner'), { recursive: true });
    await writeFile(join(host, 'secret'), 'secret');
    await writeFile(join(host, 'volume/file'), 'from the host');
  });

  const mounted = (readonly = false) =>
    container({ mounts: [{ containerPath: '/data/deep', hostPath: join(host, 'volume'), readonly }] });

  it('are the real files of the host', async () => {
    const fs = mounted();
    expect(await text(fs, '/data/deep/file')).toBe('from the host');
    await fs.writeFile('/data/deep/inner/new', Buffer.from('from inside'));
    expect(await readFile(join(host, 'volume/inner/new'), 'utf8')).toBe('from inside');
    expect(await fs.readdir('/data')).toEqual(['deep']);
    await expect(fs.rmdir('/data/deep')).rejects.toMatchObject({ code: 'EBUSY' });
    await expect(fs.rename('/data/deep/file', '/tmp/file')).rejects.toMatchObject({ code: 'EXDEV' });
  });

  it.each(['/tmp/new', '/data/deep/new'])(
    'a new %s that several write to at once is made once',
    async (path) => {
      const fs = mounted();
      const names = Array.from({ length: 20 }, (_, index) => `${index}`);
      await Promise.all(names.map((name) => fs.writeFile(path, Buffer.from(`${name}\n`), { append: true })));
      expect((await text(fs, path)).trim().split('\n').sort()).toEqual(names.sort());
      const others = names.map((name) => fs.open(`${path}-${Number(name) % 2}`, 'wx').then(() => name));
      const opened = (await Promise.allSettled(others)).filter(({ status }) => status === 'fulfilled');
      expect(opened).toHaveLength(2);
    },
  );

  it('can be read-only, and single files', async () => {
    await expect(mounted(true).unlink('/data/deep/file')).rejects.toMatchObject({ code: 'EROFS' });
    const fs = container({
      mounts: [{ containerPath: '/etc/hosts', hostPath: join(host, 'secret'), readonly: true }],
    });
    expect(await text(fs, '/etc/hosts')).toBe('secret');
    await expect(fs.writeFile('/etc/hosts', Buffer.from(''))).rejects.toMatchObject({ code: 'EROFS' });
  });

  it('follow a host path that is a link', async () => {
    await symlink('volume', join(host, 'link'));
    const fs = container({ mounts: [{ containerPath: '/m', hostPath: join(host, 'link') }] });
    expect(await fs.readdir('/m')).toEqual(['file', 'inner']);
  });

  it.each([
    ['../secret', 'ENOENT'],
    ['../../../../../../../../etc/shadow', 'ENOENT'],
    ['inner/../../../../secret', 'ENOENT'],
    ['HOST/secret', 'ENOENT'],
    ['/proc/self/root/HOST/secret', 'ENOENT'],
  ])('do not let a link to %s out', async (target, code) => {
    await symlink(target.replace('HOST', host), join(host, 'volume/escape'));
    const fs = mounted();
    await expect(fs.readFile('/data/deep/escape')).rejects.toMatchObject({ code });
    await expect(fs.readFile('/data/deep/escape/../secret')).rejects.toMatchObject({ code });
    await expect(fs.readFile('/data/deep/../../../secret')).rejects.toMatchObject({ code });
  });

  it('resolve absolute links in the container', async () => {
    await symlink('/etc/hostname', join(host, 'volume/absolute'));
    expect(await text(mounted(), '/data/deep/absolute')).toBe('web-0\n');
  });

  it('stop at once when a directory turns into a link while it is used', async () => {
    const fs = mounted();
    const handle = fs.readFile('/data/deep/inner/../../../data/deep/inner/x');
    await expect(handle).rejects.toMatchObject({ code: 'ENOENT' });
    await rm(join(host, 'volume/inner'), { recursive: true });
    await symlink(host, join(host, 'volume/inner'));
    await expect(fs.readFile('/data/deep/inner/secret')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('can be the files of an image', async () => {
    const fs = container({
      mounts: [{ containerPath: '/img', image: { image: 'busybox' }, imageSubPath: 'etc' }],
    });
    expect(await text(fs, '/img/passwd')).toContain('root');
    await expect(fs.writeFile('/img/test-write', Buffer.from(''))).rejects.toMatchObject({ code: 'EROFS' });
  });
});
