import { InputError } from '../../base/input/yaml.js';
import { kubeletVersions } from '../../kubelet/config/versions.js';
import { complain } from '../terminal/complain.js';

/** For commands that accept several. */
export const kubeletVersionList = (about: string) => ({ about, parse: parseVersions });

/** Reduces a version as kubectl shows it (`v1.31.4`, `v1.31.4+k3s1`) to its minor version, and reports this. */
export function withoutPatch(given: string): string {
  const [, minor] = /^v?(\d+\.\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(given) ?? [];
  if (minor === undefined || minor === given) return given;
  if (given !== `v${minor}`)
    complain(`--kubelet-version ${given}: it behaves as ${minor}; patch levels make no difference`);
  return minor;
}

/** Parses `1.28..1.37`, `1.30,1.36` or `1.36`. Throws InputError for other versions. */
function parseVersions(text: string): string[] {
  if (!text.includes('..')) {
    const versions = text.split(',').map(withoutPatch);
    if (versions.some((each) => !kubeletVersions.includes(each))) throw wrong(text);
    const twice = versions.find((each, index) => versions.indexOf(each) < index);
    if (twice !== undefined)
      throw new InputError([`--kubelet-version: given "${text}", which has ${twice} twice; give each once`]);
    return versions;
  }
  const [first = '', last = '', more] = text.split('..').map(withoutPatch);
  if (more !== undefined) throw wrong(text);
  const [from, to] = [kubeletVersions.indexOf(first), kubeletVersions.indexOf(last)];
  if (from < 0 || to < from) throw wrong(text);
  return kubeletVersions.slice(from, to + 1);
}

function wrong(text: string): InputError {
  const range = `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`;
  return new InputError([
    `--kubelet-version: given "${text}"; expected versions from ${range}: "1.36", "1.30,1.36" or "1.28..1.37"`,
  ]);
}
