import { describe, expect, it } from 'vitest';
import { containerFiles, noNetwork } from '../../../test/support/linux/container-files.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { FileError } from '../fs/file-error.js';
import type { ContainerView, Program } from '../process/process.js';
import { ProcessTable } from '../process/process-table.js';
import { findPrograms } from './programs.js';

const echoArgv: Program = async (process) => {
  await process.stdout.write(Buffer.from(process.argv.join(' ')));
  return { code: 0 };
};
const programs = findPrograms({ ls: async () => ({ code: 3 }), sh: echoArgv });
const env = new Map([['PATH', '/nowhere:/bin']]);

describe('finding programs', () => {
  it('looks in PATH for files of the container', async () => {
    const fs = containerFiles();
    const from = { fs, cwd: '/tmp', env };
    expect(await programs.find('ls', from)).toBeTypeOf('function');
    expect(await programs.find('/bin/ls', from)).toBeTypeOf('function');
    expect(await programs.find('../bin/ls', from)).toBeTypeOf('function');
    expect(await programs.find('missing', from)).toBeUndefined();
    expect(await programs.find('', from)).toBeUndefined();
    await fs.rename('/bin/ls', '/tmp/other');
    expect(await programs.find('ls', from)).toBeUndefined();
    expect(await programs.find('./other', from)).toBeTypeOf('function');
  });

  it('has none in an image without a shell', async () => {
    const fs = containerFiles('registry.k8s.io/pause:3.9');
    expect(await programs.find('sh', { fs, cwd: '/', env })).toBeUndefined();
  });

  it('tells apart what may not be executed', async () => {
    const fs = containerFiles();
    await fs.writeFile('/tmp/script', Buffer.from('echo'));
    const found = programs.find('./script', { fs, cwd: '/tmp', env });
    await expect(found).rejects.toThrow(new FileError('EACCES'));
    await expect(programs.find('/tmp', { fs, cwd: '/', env })).rejects.toThrow('Permission denied');
  });

  it('runs scripts with their interpreter', async () => {
    const clock = createVirtualClock();
    const fs = containerFiles();
    const run = async (script: string): Promise<string> => {
      await fs.writeFile('/tmp/script', Buffer.from(script));
      await fs.chmod('/tmp/script', 0o755);
      const program = await programs.find('/tmp/script', { fs, cwd: '/', env });
      if (!program) return 'not found';
      const output: Buffer[] = [];
      const stdout = { write: async (chunk: Buffer) => void output.push(chunk), end: () => {} };
      const view = {} as ContainerView;
      const table = new ProcessTable({ clock, fs, view, ...noNetwork });
      const user = { uid: 0, gid: 0, groups: [], name: 'root' };
      await table.start({ argv: ['/tmp/script', 'a'], program, user, stdout }).exit;
      return Buffer.concat(output).toString();
    };
    expect(await run('#!/bin/sh -e x\n')).toBe('/bin/sh -e x /tmp/script a');
    expect(await run('echo without interpreter\n')).toBe('/bin/sh /tmp/script a');
    expect(await run('#!/bin/none\n')).toBe('not found');
    await expect(run('#!/tmp/script\n')).resolves.toBe('not found');
  });
});
