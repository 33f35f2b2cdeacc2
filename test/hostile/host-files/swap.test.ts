import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { FileError } from '../../../src/linux/fs/file-error.js';
import { HostNode } from '../../../src/linux/fs/host-node.js';
import { containerFiles } from '../../support/linux/container-files.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();
let swapping: ChildProcess | undefined;

afterEach(() => {
  swapping?.kill('SIGKILL');
});

const TRIES = 400;

/** Files below a directory that this process has open. */
function openBelow(directory: string): string[] {
  const paths = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(directory));
}

/** Puts a link in the place of a directory and back, as fast as it can. */
const SWAP = `
const { renameSync } = require('node:fs');
process.chdir(process.argv[1]);
console.log('ready');
for (;;) {
  renameSync('d', 'real'); renameSync('link', 'd');
  renameSync('d', 'link'); renameSync('real', 'd');
}`;

it('never leaves a mount while a directory in it is swapped with a link', async () => {
  const [volume, outside] = [temporary(), temporary()];
  mkdirSync(join(volume, 'd'));
  writeFileSync(join(volume, 'd', 'file'), 'inside');
  symlinkSync(outside, join(volume, 'link'));
  writeFileSync(join(outside, 'file'), 'secret');
  chmodSync(join(outside, 'file'), 0o600);
  const fs = containerFiles('busybox:1', {
    mounts: [{ hostPath: volume, containerPath: '/v', readonly: false }],
  });
  swapping = spawn(process.execPath, ['-e', SWAP, volume], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => swapping?.stdout?.once('data', resolve));
  let reached = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const text = await fs.readFile('/v/d/file').catch(() => undefined);
    if (text !== undefined) reached++;
    expect(String(text ?? '')).not.toContain('secret');
    await fs.writeFile('/v/d/file', Buffer.from('inside')).catch(() => {});
    await fs.writeFile(`/v/d/new${attempt % 10}`, Buffer.from('x')).catch(() => {});
    await fs.chmod('/v/d/file', 0o666).catch(() => {});
    await fs.unlink(`/v/d/new${attempt % 10}`).catch(() => {});
  }
  expect(reached).toBeGreaterThan(0);
  expect(readdirSync(outside)).toEqual(['file']);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('secret');
  expect(statSync(join(outside, 'file')).mode & 0o777).toBe(0o600);
});

it('closes a file that vanishes between its opening and its truncation', async () => {
  const volume = temporary();
  writeFileSync(join(volume, 'file'), 'text');
  const fs = containerFiles('busybox:1', {
    mounts: [{ hostPath: volume, containerPath: '/v', readonly: false }],
  });
  const change = vi.spyOn(HostNode.prototype, 'change').mockRejectedValue(new FileError('ENOENT'));
  await expect(fs.writeFile('/v/file', Buffer.from('x'))).rejects.toThrow(FileError);
  change.mockRestore();
  expect(openBelow(volume)).toEqual([]);
});
