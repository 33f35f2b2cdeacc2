import { expect, it } from 'vitest';
import type { LookupContext, Programs } from '../../../src/linux/commands/programs.js';
import { FileError, type FileErrorCode } from '../../../src/linux/fs/file-error.js';
import { programToExec, programToStart } from './resolve-program.js';

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
