import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../input/user-error.js';
import { checkNamespaces } from './namespaces.js';

/** A kubelet that can run on a virtual clock. */
export interface KubeletProgram {
  readonly path: string;
  /** Such as `1.37.2`. */
  readonly version: string;
}

/** Every program that was built for virtual time reads this variable. */
const MARK = 'MOCKRI_TIME_SEED';

/**
 * The kubelet at this path. Throws UserError if it is none, was not built for virtual time, or cannot run on this machine;
 * `option` says where it was given.
 */
export function kubeletProgram(given: string, option: string): KubeletProgram {
  const path = resolve(given);
  const { stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (error !== undefined)
    throw new UserError(
      `${option}: ${given} cannot be started: ${(error as NodeJS.ErrnoException).code}; expected the path of a kubelet`,
    );
  const [, version] = /^Kubernetes v(\S+)/.exec(stdout) ?? [];
  if (version === undefined) throw new UserError(`${option}: ${given} does not say that it is a kubelet`);
  if (!readFileSync(path).includes(MARK))
    throw new UserError(
      `${option}: ${given} was not built for virtual time; "mockri kubelet-build --version ${version}" builds one that is`,
    );
  checkNamespaces();
  return { path, version };
}

/** `1.37` of `1.37.2`. */
export const minorOf = ({ version }: KubeletProgram): string => version.split('.').slice(0, 2).join('.');
