import { InputError } from '../../../input/yaml.js';
import { kebab } from '../../options/settings.js';

/** Options that one backend reads, by their names in commander. */
const OPTIONS: Readonly<Record<string, string>> = {
  remoteEndpoint: 'remote',
  tape: 'tape',
  onMiss: 'tape',
  dockerHost: 'docker',
  dockerCertPath: 'docker',
  dockerSandboxImage: 'docker',
  dockerNetwork: 'docker',
};

/** Throws InputError for options of another backend. Variables and files may have them: they are for many starts. */
export function refuseOtherBackends(flags: Readonly<Record<string, unknown>>, backend: string): void {
  const problems = Object.entries(OPTIONS)
    .filter(([key, needed]) => flags[key] !== undefined && needed !== backend)
    .map(([key, needed]) => `--${kebab(key)} has no effect without --backend ${needed}`);
  if (problems.length > 0) throw new InputError(problems);
}
