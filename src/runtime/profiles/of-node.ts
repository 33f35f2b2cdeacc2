import { type RuntimeProfileName, runtimeProfileNames } from './index.js';

/** Returns the profile nearest to a node's runtime such as `containerd://2.2.1`; undefined for an unknown runtime. */
export function profileOfNode(text: string): RuntimeProfileName | undefined {
  const [, given = '', major, minor] = /^([\w-]+):\/\/v?(\d+)\.(\d+)/.exec(text) ?? [];
  const runtime = given === 'docker' ? 'cri-dockerd' : given;
  const version = versionOf(`${major}.${minor}`);
  const newestFirst = runtimeProfileNames
    .filter((name) => name !== runtime && name.replace(/-[\d.]+$/, '') === runtime)
    .sort((a, b) => versionOf(b) - versionOf(a));
  return newestFirst.find((name) => versionOf(name) <= version) ?? newestFirst.at(-1);
}

function versionOf(text: string): number {
  const [major = 0, minor = 0] = (/\d+\.\d+$/.exec(text)?.[0] ?? '').split('.').map(Number);
  return major * 1000 + minor;
}
