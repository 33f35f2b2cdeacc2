import { type RuntimeProfileName, runtimeProfileNames } from './index.js';

/** The profile that is nearest to a runtime as a node names it, `containerd://2.2.1`; undefined for a runtime without one. */
export function profileOfNode(text: string): RuntimeProfileName | undefined {
  const [, given = '', major, minor] = /^([\w-]+):\/\/v?(\d+)\.(\d+)/.exec(text) ?? [];
  const runtime = given === 'docker' ? 'cri-dockerd' : given;
  const version = versionOf(`${major}.${minor}`);
  const newestFirst = runtimeProfileNames
    .filter((name) => name !== runtime && name.replace(/-[\d.]+$/, '') === runtime)
    .sort((a, b) => versionOf(b) - versionOf(a));
  return newestFirst.find((name) => versionOf(name) <= version) ?? newestFirst.at(-1);
}

/** As a number that is greater for newer ones. */
function versionOf(text: string): number {
  const [major = 0, minor = 0] = (/\d+\.\d+$/.exec(text)?.[0] ?? '').split('.').map(Number);
  return major * 1000 + minor;
}
