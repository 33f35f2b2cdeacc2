import { existsSync } from 'node:fs';
import { InputError } from '../../base/input/yaml.js';
import { DEFAULT_KUBELET_VERSION, kubeletVersions } from '../../kubelet/config/versions.js';
import { complain } from '../terminal/complain.js';

/** For commands that accept several. */
export const kubeletVersionList = (about: string) => ({
  about,
  parse: (text: string) => parseVersions(text, '--kubelet-version'),
});

export const kubeletVersion = {
  about: `kubelet version to imitate, ${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`,
  parse: withoutPatch,
  default: DEFAULT_KUBELET_VERSION,
};

const VERSIONS = /^v?1\.\d+(\.\d+)?((,v?1\.\d+(\.\d+)?)+|\.\.v?1\.\d+)$/;

/** Kubelets by path or version: one, or several versions as in --kubelet-version. */
export function parseKubelets(text: string): string[] {
  if (text.includes('..') && VERSIONS.test(text)) return parseVersions(text, '--kubelet');
  const isList = VERSIONS.test(text) || (text.includes(',') && !existsSync(text));
  return isList ? text.split(',') : [text];
}

/** Reduces a version as kubectl shows it (`v1.31.4`, `v1.31.4+k3s1`) to its minor version, and reports this. */
export function withoutPatch(given: string): string {
  const [, minor] = /^v?(\d+\.\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(given) ?? [];
  if (minor === undefined || minor === given) return given;
  if (given !== `v${minor}`)
    complain(`--kubelet-version ${given}: it behaves as ${minor}; patch levels make no difference`);
  return minor;
}

/** Parses `1.28..1.37`, `1.30,1.36` or `1.36`. Throws InputError for other versions. */
function parseVersions(text: string, option: string): string[] {
  if (!text.includes('..')) {
    const versions = text.split(',').map(withoutPatch);
    if (versions.some((each) => !kubeletVersions.includes(each))) throw wrong(text, option);
    const twice = versions.find((each, index) => versions.indexOf(each) < index);
    if (twice !== undefined)
      throw new InputError([`${option}: given "${text}", which has ${twice} twice; give each once`]);
    return versions;
  }
  const [first = '', last = '', more] = text.split('..').map(withoutPatch);
  if (more !== undefined) throw wrong(text, option);
  const [from, to] = [kubeletVersions.indexOf(first), kubeletVersions.indexOf(last)];
  if (from < 0 || to < from) throw wrong(text, option);
  return kubeletVersions.slice(from, to + 1);
}

function wrong(text: string, option: string): InputError {
  const range = `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`;
  return new InputError([
    `${option}: given "${text}"; expected versions from ${range}: "1.36", "1.30,1.36" or "1.28..1.37"`,
  ]);
}
