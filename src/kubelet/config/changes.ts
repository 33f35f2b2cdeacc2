/** What changed in each kubelet version; docs/kubelet.md has the same as a table. */
export const kubeletChanges: Readonly<Record<string, readonly string[]>> = {
  '1.29': [
    'event text `Created container: app` (before: without the colon)',
    'the kubelet waits for a pod that its cache does not know',
    'condition `PodReadyToStartContainers`',
  ],
  '1.30': ['the event of a pull has the size of the image'],
  '1.31': [
    "a container's hash covers only image and name",
    'the text of a probe that times out names the limit',
  ],
  '1.32': [
    '`ImagePullBackOff` repeats the last error',
    'the control plane waits 50 s for a heartbeat (before: 40 s)',
    'the evented PLEG reads event times in the correct unit',
    'the period of a readiness probe begins again when the probe is triggered',
    'a relist inspects each pod once (before: again if that failed, and failed in the relist before)',
  ],
  '1.33': [
    'pods are resized in place',
    'the text of a probe whose call failed names the result',
    'probes of an ended sidecar continue in a pod that restarts nothing',
    'gate `ReduceDefaultCrashLoopBackOffDecay` (off): 1 s to 60 s',
  ],
  '1.34': ['the back-off key contains image and resources', 'gate `ContainerRestartRules` (off)'],
  '1.35': [
    'event texts `Container created`, `Container started`',
    'a requeue waits for the rest of the delay',
    'gates `KubeletCrashLoopBackOffMax`, `ContainerRestartRules` and `KubeletEnsureSecretPulledImages` on',
    'readiness survives a kubelet restart',
  ],
  '1.36': [
    'gates `PLEGOnDemandRelist` and `RestartAllContainersOnContainerExits` on',
    'init containers that run are resized, too',
    'containers of a pod are sorted, newest first',
  ],
  '1.37': ['the evented PLEG only triggers the generic one'],
};
