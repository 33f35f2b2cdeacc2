import { expect, it } from 'vitest';
import { linkerFlags, moduleFile, replacements } from './module.js';

const KUBERNETES = `module k8s.io/kubernetes

go 1.23.0

godebug default=go1.23

godebug winsymlink=0

require (
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.130.1
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/kube-scheduler => ./staging/src/k8s.io/kube-scheduler
	k8s.io/legacy-cloud-providers => ./staging/src/k8s.io/legacy-cloud-providers
)
`;

it('pins the parts of Kubernetes to what was published with the release', () => {
  expect(moduleFile(KUBERNETES, '1.32.13')).toBe(`module mockri.dev/virtual-time
go 1.23.0
godebug default=go1.23
godebug winsymlink=0
require k8s.io/kubernetes v1.32.13
replace k8s.io/api => k8s.io/api v0.32.13
replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.32.13
replace k8s.io/legacy-cloud-providers => k8s.io/legacy-cloud-providers v0.32.13
`);
});

it.each([
  ['1.29.6', 'legacy-cloud-providers', 'v0.30.14'],
  ['1.31.14', 'kube-scheduler', 'v0.31.13'],
])('takes another version of a part that a proxy may lack for %s', (version, part, other) => {
  expect(moduleFile(KUBERNETES, version)).toContain(`replace k8s.io/${part} => k8s.io/${part} ${other}\n`);
});

it('refuses a go.mod that is not like that of Kubernetes', () => {
  expect(() => moduleFile('module k8s.io/kubernetes\n\ngo 1.26.0\n', '1.37.2')).toThrow(
    'go.mod of k8s.io/kubernetes v1.37.2: expected a go version, and parts in ./staging',
  );
});

it('makes --version tell the release', () => {
  expect(linkerFlags('1.37.2')).toContain('-X k8s.io/component-base/version.gitVersion=v1.37.2');
  expect(linkerFlags('1.37.2')).toContain('version.gitMinor=37');
});

it('replaces modules as the go.mod of a program does, but by no directory', () => {
  const written = `module example.com/operator
go 1.24.0
replace example.com/a => example.com/b v1.2.3
replace (
	example.com/c v1.0.0 => example.com/c v1.0.1 // pinned
	example.com/d => ../d
	example.com/e => ./e
)
`;
  expect(replacements(written)).toBe(
    'replace example.com/a => example.com/b v1.2.3\nreplace example.com/c v1.0.0 => example.com/c v1.0.1\n',
  );
});
