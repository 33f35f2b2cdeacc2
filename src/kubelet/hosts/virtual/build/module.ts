import { UserError } from '../../../../base/input/user-error.js';

/** The module that Kubernetes' programs are in. */
export const KUBERNETES = 'k8s.io/kubernetes';

/** Modules that a module proxy may lack for a version, by its minor version, and the version that serves instead. */
const missing: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  // Its last release for 1.29 is not at the module proxy. With the build tag `providerless` none of it is compiled.
  29: { 'k8s.io/legacy-cloud-providers': 'v0.30.14' },
  // Its v0.31.14 can't be downloaded from each proxy. The kubelet takes types from it that did not change since.
  31: { 'k8s.io/kube-scheduler': 'v0.31.13' },
};

/** 37 for `1.37.2`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/**
 * The go.mod of a module that builds programs of a release of Kubernetes, made from Kubernetes' own: its Go version and
 * settings, and its parts (`staging`) in the versions that were published with it.
 */
export function moduleFile(kubernetes: string, version: string): string {
  const go = /^go (\S+)$/m.exec(kubernetes)?.[1];
  const parts = [...kubernetes.matchAll(/^\t?(?:replace )?(\S+) => \.\/staging\//gm)].map(([, part]) => part);
  if (go === undefined || parts.length === 0)
    throw new UserError(`go.mod of ${KUBERNETES} v${version}: expected a go version, and parts in ./staging`);
  const settings = kubernetes.match(/^godebug .*$/gm) ?? [];
  const published = version.replace(/^1\./, 'v0.');
  const replaced = missing[minorOf(version)] ?? {};
  const lines = [
    'module mockri.dev/virtual-time',
    `go ${go}`,
    ...settings,
    `require ${KUBERNETES} v${version}`,
    ...parts.map((part = '') => `replace ${part} => ${part} ${replaced[part] ?? published}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Settings of the linker that make `--version` tell the version. */
export function linkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  const set = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(set)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
