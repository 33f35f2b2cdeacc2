import { UserError } from '../../../../base/input/user-error.js';

export const KUBERNETES = 'k8s.io/kubernetes';

/** Modules that a proxy may lack, by minor version of Kubernetes, and the version to use instead. */
const missing: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  // Its last release for 1.29 is not on the module proxy. The build tag `providerless` excludes all of its code.
  29: { 'k8s.io/legacy-cloud-providers': 'v0.30.14' },
  // Some proxies lack its v0.31.14. The types that the kubelet uses have not changed since v0.31.13.
  31: { 'k8s.io/kube-scheduler': 'v0.31.13' },
};

/** 37 for `1.37.2`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/**
 * The go.mod of a module that builds programs of a Kubernetes release, derived from Kubernetes' own: its Go version and
 * settings, and its `staging` modules in their published versions.
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

/** The lines of a go.mod that replace modules by published ones; Go ignores them in a dependency. */
export const replacements = (module: string): string =>
  [...module.matchAll(/^\t?(?:replace )?(\S+(?: v\S+)? => [^.\s]\S* v\S+)/gm)]
    .map(([, line]) => `replace ${line}\n`)
    .join('');

/** Linker flags that set what `--version` prints. */
export function linkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  const set = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(set)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
