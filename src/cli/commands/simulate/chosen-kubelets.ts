import { InputError } from '../../../base/input/yaml.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { findBuilt } from '../../../kubelet/hosts/virtual/build/cache.js';
import {
  isVersion,
  kubeletProgram,
  minorOf,
  simulatedAs,
} from '../../../kubelet/hosts/virtual/kubelet-program.js';
import type { Flags } from './flags.js';

/** A simulated kubelet, or a program. */
export interface ChosenKubelet {
  /** `1.36`, `1.37.2`, `./kubelet`, or `1.33 (thin)` next to programs. */
  readonly label: string;
  readonly version: string;
  /** Its path. */
  readonly program?: string;
}

/**
 * The requested kubelets; undefined for the scenario's own. A single program must be built; of several, the simulated
 * kubelet replaces those that are not. Throws InputError and UserError as `kubeletProgram` does.
 */
export function chosenKubelets(
  { kubelet, kubeletVersion }: Flags,
  note: (line: string) => void,
): readonly ChosenKubelet[] | undefined {
  if (kubelet === undefined) return kubeletVersion?.map((version) => ({ label: version, version }));
  if (kubelet.length === 1) return kubelet.map(programKubelet);
  const chosen = kubelet.map((given) => (isMissing(given) ? thinKubelet(given) : programKubelet(given)));
  const missing = chosen.filter(({ program }) => program === undefined).map(({ version }) => version);
  if (missing.length > 0)
    note(
      `--kubelet: ${missing.join(', ')} not built for virtual time, so simulated (thin): "mockri kubelet-build --version ${missing[0]}" builds one`,
    );
  return chosen;
}

const isMissing = (given: string): boolean =>
  isVersion(given) && findBuilt('kubelet', given.replace(/^v/, '')) === undefined;

function programKubelet(given: string): ChosenKubelet {
  const program = kubeletProgram(given, '--kubelet');
  return {
    label: isVersion(given) ? program.version : given,
    version: simulatedAs(program),
    program: program.path,
  };
}

function thinKubelet(given: string): ChosenKubelet {
  const version = minorOf({ path: '', version: given.replace(/^v/, '') });
  if (!kubeletVersions.includes(version))
    throw new InputError([
      `--kubelet: ${given} is not built for virtual time, and only ${kubeletVersions[0]} to ${kubeletVersions.at(-1)} are simulated`,
    ]);
  return { label: `${version} (thin)`, version };
}
