import { expect, test } from 'vitest';
import { parseManifest } from '../pods/manifest.js';
import { hasHostsFile, hostsFile } from './hosts-file.js';

const podWith = (spec: string) => {
  const text = `
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: app, image: 'busybox:1'}]${spec}
`;
  const [pod] = parseManifest(text, 'pod.yaml', { nodeName: 'node', now: 0n }).pods;
  if (pod === undefined) throw new Error('no pod');
  return pod;
};
const ALIASES = `
  hostAliases:
    - {ip: 123.45.67.89, hostnames: [foo, bar]}
    - {ip: '::2', hostnames: [six]}`;

test('a pod has its own addresses and aliases', () => {
  const pod = podWith(ALIASES);
  expect(hostsFile({ pod, podIps: ['10.1.2.3', 'fd00::1'], ofNode: '192.0.2.1\tnode\n' })).toBe(
    `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
10.1.2.3\tweb-node
fd00::1\tweb-node

# Entries added by HostAliases.
123.45.67.89\tfoo\tbar
::2\tsix
`,
  );
});

test('a pod with host network has the file of its node', () => {
  const pod = podWith(`\n  hostNetwork: true${ALIASES}`);
  expect(hostsFile({ pod, podIps: [], ofNode: '192.0.2.1\tnode\n' })).toBe(
    `# Kubernetes-managed hosts file (host network).
192.0.2.1\tnode

# Entries added by HostAliases.
123.45.67.89\tfoo\tbar
::2\tsix
`,
  );
});

test('a pod without an address has none, unless its network is the host’s', () => {
  expect(hasHostsFile(podWith(''), [])).toBe(false);
  expect(hasHostsFile(podWith(''), ['10.1.2.3'])).toBe(true);
  expect(hasHostsFile(podWith('\n  hostNetwork: true'), [])).toBe(true);
});
