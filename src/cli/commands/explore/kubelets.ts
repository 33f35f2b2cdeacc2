import { accessSync, constants } from 'node:fs';
import { InputError } from '../../../base/input/yaml.js';
import { DEFAULT_KUBELET_VERSION } from '../../../kubelet/config/versions.js';
import {
  isForVirtualTime,
  isVersion,
  kubeletProgram,
  simulatedAs,
} from '../../../kubelet/hosts/virtual/kubelet-program.js';
import type { NamedProgram } from '../../../lab/explore/report/write.js';
import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import type { Flags } from './flags.js';

export interface SearchedProgram extends NamedProgram {
  readonly version: string;
  /** The thin kubelet also runs them. */
  readonly compares: boolean;
}

/** The program of --kubelet; for `both`, the one of the requested or the scenario's version. */
export function programOf(
  { kubelet, kubeletVersion }: Flags,
  scenario: LoadedScenario,
): SearchedProgram | undefined {
  if (kubelet === undefined) return undefined;
  const compares = kubelet === 'both';
  if (kubeletVersion !== undefined && !compares)
    throw new InputError([
      '--kubelet and --kubelet-version exclude each other: the program determines the version',
    ]);
  const [version = scenario.kubelet.version ?? DEFAULT_KUBELET_VERSION, more] = kubeletVersion ?? [];
  if (more !== undefined)
    throw new InputError([
      `--kubelet both: given --kubelet-version "${kubeletVersion?.join()}"; expected one version`,
    ]);
  const program = kubeletProgram(compares ? version : kubelet, '--kubelet');
  const name = compares ? program.version : kubelet;
  return { path: program.path, name, version: simulatedAs(program), compares };
}

export function versionsOf(
  flags: Flags,
  program: SearchedProgram | undefined,
): readonly (string | undefined)[] {
  if (program !== undefined) return [program.version];
  return flags.kubeletVersion ?? [undefined];
}

/** A kubelet that confirms findings, in virtual time if it was built for that. */
export function confirmingKubelet(program: string): {
  readonly program: string;
  readonly isVirtual: boolean;
} {
  if (isVersion(program)) return { program: kubeletProgram(program, '--confirm').path, isVirtual: true };
  try {
    accessSync(program, constants.X_OK);
  } catch (error) {
    throw new InputError([
      `--confirm: ${program} cannot be started: ${(error as NodeJS.ErrnoException).code}; expected the path of a kubelet`,
    ]);
  }
  if (isForVirtualTime(program))
    return { program: kubeletProgram(program, '--confirm').path, isVirtual: true };
  if (process.getuid?.() !== 0) throw new InputError(['--confirm: a kubelet must be started by root']);
  return { program, isVirtual: false };
}
