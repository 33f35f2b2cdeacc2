import { describe, expect, it } from 'vitest';
import { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import type { LookupContext, Programs } from '../../../src/linux/commands/programs.js';
import { FileError, type FileErrorCode } from '../../../src/linux/fs/file-error.js';
import { directory } from '../../../src/linux/fs/image-tree.js';
import { programToExec, programToStart, StartedPrograms, startsFromImage } from './resolve-program.js';

const failing = (code: FileErrorCode): Programs => ({
  find: async () => {
    throw new FileError(code);
  },
});
const from = (kind: 'file' | 'directory') =>
  ({ fs: { stat: async () => ({ kind }) } }) as unknown as LookupContext;

// As Go's exec.LookPath says it, which runc calls.
it.each([
  ['/etc', 'EACCES', 'directory', 'exec: "/etc": is a directory'],
  ['/etc/passwd', 'EACCES', 'file', 'exec: "/etc/passwd": permission denied'],
  ['passwd', 'EACCES', 'file', 'exec: "passwd": executable file not found in $PATH'],
  ['/loop', 'ELOOP', 'file', 'exec: "/loop": stat /loop: too many levels of symbolic links'],
] as const)('a program that cannot be run is a failed start: %s', async (name, code, kind, text) => {
  await expect(programToStart(failing(code), [name], from(kind))).rejects.toThrow(
    `OCI runtime create failed: runc create failed: unable to start container process: ${text}`,
  );
  await expect(programToExec(failing(code), [name], from(kind))).rejects.toMatchObject({ code: 2 });
});

it('a path through a file is not that of a program', async () => {
  const nothing: Programs = { find: async () => undefined };
  const stat = async () => {
    throw new FileError('ENOTDIR');
  };
  await expect(
    programToStart(nothing, ['/bin/sh/'], { fs: { stat }, cwd: '/' } as unknown as LookupContext),
  ).rejects.toThrow('exec: "/bin/sh/": stat /bin/sh/: not a directory');
});

describe('programs that were started', () => {
  const root = directory({});
  const from = (path: string) => ({ cwd: '/', env: new Map([['PATH', path]]) });

  it('are looked up once for each image, name and PATH', async () => {
    const started = new StartedPrograms();
    let looks = 0;
    const look = async () => {
      looks++;
      return async () => ({ code: 0 });
    };
    const first = await started.find(root, ['sleep', '1'], from('/bin'), look);
    expect(await started.find(root, ['sleep', '2'], from('/bin'), look)).toBe(first);
    expect(looks).toBe(1);
    await started.find(root, ['sleep'], from('/sbin'), look);
    await started.find(directory({}), ['sleep'], from('/bin'), look);
    await started.find(root, ['cat'], from('/bin'), look);
    expect(looks).toBe(4);
  });

  it('are those of the image unless something else is mounted over it than what every pod has', () => {
    const config = (...paths: string[]) =>
      ContainerConfig.fromPartial({ mounts: paths.map((containerPath) => ({ containerPath })) });
    expect(startsFromImage(config('/etc/hosts', '/dev/termination-log'))).toBe(true);
    expect(startsFromImage(config('/etc/hosts', '/opt/bin'))).toBe(false);
  });
});
