/** The manifests whose rows on kubelet 1.36.3 with containerd are recorded, by name (test/oracle/kubelet-1.36.3). */
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
