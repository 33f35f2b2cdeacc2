import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { homeOf } from '../../../src/linux/accounts.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';
import type { ProcessUser } from '../../../src/linux/process/process.js';

export interface StartEnvironment {
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
}

/** The image's variables, then the config's, and HOME and HOSTNAME. */
export function startEnvironment(
  config: ContainerConfig,
  image: ImageContent | undefined,
  user: ProcessUser,
  hostname: string,
): StartEnvironment {
  const env = new Map(Object.entries(image?.env ?? {}));
  env.set('HOSTNAME', hostname);
  if (config.tty) env.set('TERM', 'xterm');
  for (const { key, value } of config.envs) env.set(key, value.toString());
  if (!env.has('HOME')) env.set('HOME', homeOf(user.uid));
  return { env, cwd: config.workingDir || '/' };
}
