/** The manifests in test/oracle/kubelet-1.36.3 with recorded rows of kubelet 1.36.3 on containerd, by name. */
export const recordedNames = [
  'crash-exit1',
  'exit0-always',
  'init-fails',
  'never-exit3',
  'onfailure-exit0',
  'onfailure-exit1',
  'poststart-fails',
  'probes',
  'pull-fails',
  'sigterm-test',
  'steady',
] as const;

/** All manifests there; kubelet 1.37.2 has recorded rows of all. */
export const manifestNames = [...recordedNames, 'crash-hostnetwork', 'steady-hostnetwork'] as const;
