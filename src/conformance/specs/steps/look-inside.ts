import type { CheckContext } from '../../check-context.js';

/** What a shell script in a container prints on stdout. */
export async function output(t: CheckContext, containerId: string, script: string): Promise<string> {
  const { stdout } = await t.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 20n });
  return Buffer.from(stdout).toString('utf8');
}
