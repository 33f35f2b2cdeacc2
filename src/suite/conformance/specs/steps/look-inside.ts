import type { CheckContext } from '../../check-context.js';

/** Resolves with a script's stdout. */
export async function output(t: CheckContext, containerId: string, script: string): Promise<string> {
  const { stdout } = await t.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 20n });
  return Buffer.from(stdout).toString('utf8');
}

/** The output of `echo $?` after an attempt to write to a file in a container. */
export const writing = (t: CheckContext, containerId: string, path: string): Promise<string> =>
  output(t, containerId, `(echo changed > ${path}) 2>/dev/null; echo $?`);

export const processes = (t: CheckContext, containerId: string): Promise<string> =>
  output(t, containerId, 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "');
