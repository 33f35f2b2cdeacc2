import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readSmallFile } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { kubeletVersions } from '../../config/versions.js';
import { builtKubelet, compareVersions } from './build/cache.js';
import { checkNamespaces } from './namespaces.js';

export interface KubeletProgram {
  readonly path: string;
  /** Such as `1.37.2`. */
  readonly version: string;
}

/** Bytes; a kubelet has 120 million. */
const LARGEST_PROGRAM = 1024 ** 3;

/** Every program that was built for virtual time reads this variable. */
const MARK = 'MOCKRI_TIME_SEED';

/** Matches `1.37` and `1.37.2`, not a path. */
export const isVersion = (given: string): boolean => /^v?1\.\d+(\.\d+)?$/.test(given);

/**
 * Finds the kubelet at this path, or the one of this version stored by "mockri kubelet-build". Throws InputError if it
 * is not a kubelet or was not built for virtual time, UserError if it cannot run on this machine; `option` says where
 * it was given.
 */
export function kubeletProgram(given: string, option: string): KubeletProgram {
  const program = isVersion(given) ? storedProgram(given) : programAt(resolve(given), given, option);
  const [oldest = ''] = kubeletVersions;
  if (compareVersions(minorOf(program), oldest) < 0)
    throw new InputError([
      `${option}: ${given} says that it is v${program.version}; expected ${oldest} or newer`,
    ]);
  checkNamespaces();
  return program;
}

function storedProgram(given: string): KubeletProgram {
  const { file, version } = builtKubelet(given.replace(/^v/, ''));
  return { path: file, version };
}

function programAt(path: string, given: string, option: string): KubeletProgram {
  const { stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (error !== undefined)
    throw new InputError([
      `${option}: ${given} cannot be started: ${(error as NodeJS.ErrnoException).code}; expected the path of a kubelet, or a version such as 1.37`,
    ]);
  const [, version] = /^Kubernetes v(\S+)/.exec(stdout) ?? [];
  if (version === undefined) throw new InputError([`${option}: ${given} does not say that it is a kubelet`]);
  if (!isForVirtualTime(path))
    throw new InputError([
      `${option}: ${given} was not built for virtual time; "mockri kubelet-build --version ${version}" builds one that is`,
    ]);
  return { path, version };
}

/** Throws InputError if it can't be read. */
export const isForVirtualTime = (path: string): boolean =>
  readSmallFile(path, LARGEST_PROGRAM).includes(MARK);

/** `1.37` of `1.37.2`. */
export const minorOf = ({ version }: KubeletProgram): string => version.split('.').slice(0, 2).join('.');

/** The version of the simulated kubelet that replaces a program in comparisons: the newest one for a newer program. */
export function simulatedAs(program: KubeletProgram): string {
  const newest = kubeletVersions.at(-1) ?? '';
  const minor = minorOf(program);
  return compareVersions(minor, newest) > 0 ? newest : minor;
}
