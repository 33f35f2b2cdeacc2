import type { Clock } from '../../../src/base/clock/clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createRandom } from '../../../src/base/random/random.js';
import { CallError } from '../../../src/cri/client/call-error.js';
import { kubeletVersion } from '../../../src/kubelet/config/version.js';
import { createRecorder } from '../../../src/kubelet/events/recorder.js';
import type { Probe } from '../../../src/kubelet/kubernetes/handler.js';
import type { Pod } from '../../../src/kubelet/kubernetes/pod.js';
import type { ContainerApiState, PodApiStatus } from '../../../src/kubelet/kubernetes/pod-status.js';
import { createProbeManager } from '../../../src/kubelet/probes/manager.js';
import { aContainer, aPod } from './objects.js';
import { dialer } from './probe-targets.js';

/** A probe with a command and the defaults of the API. */
export const probe = (given: Partial<Probe> = {}): Probe => ({
  exec: { command: ['check'] },
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  ...given,
});

/**
 * A kubelet that has run for an hour, and one of its containers. `answers` are the exit codes of the probes' commands
 * in order; the last one repeats. Each command takes `takes` ms.
 */
export async function setup(
  probes: Partial<Pod['spec']['containers'][number]>,
  answers: (number | Error)[] = [0],
  version = '1.36',
  takes = 0,
  seed = 1,
) {
  const clock = createVirtualClock();
  const events: string[] = [];
  const updates: string[] = [];
  const probed: number[] = [];
  const cancelled: number[] = [];
  const shown = { state: undefined as ContainerApiState | undefined, id: 'c1', started: false };
  const pod = aPod({ containers: [aContainer(probes)] });
  const abort = new AbortController();
  let zero = 0;

  let published: PodApiStatus | undefined;
  const now = (): PodApiStatus => ({
    phase: 'Running',
    conditions: [],
    podIPs: ['127.0.0.1'],
    initContainerStatuses: [],
    containerStatuses: [
      {
        name: 'app',
        state: shown.state ?? { kind: 'waiting', reason: '', message: '' },
        lastState: undefined,
        ready: false,
        started: shown.started,
        restartCount: 0,
        image: '',
        imageID: '',
        containerID: shown.state === undefined ? '' : `mockri://${shown.id}`,
      },
    ],
  });
  const manager = createProbeManager({
    ...dialer(clock),
    random: createRandom(seed),
    version: kubeletVersion(version),
    signal: abort.signal,
    recorder: createRecorder(clock, ({ reason, message }) => events.push(`${reason}: ${message}`)),
    client: {
      execSync: async (_id, _command, _timeout, signal) => {
        if (signal?.aborted) {
          cancelled.push(clock.elapsed());
          throw new CallError(1, 'cancelled');
        }
        probed.push(Math.round((clock.elapsed() - zero) / 100) / 10);
        if (takes > 0) await clock.sleep(takes);
        const answer = answers[Math.min(probed.length, answers.length) - 1];
        if (answer instanceof Error) throw answer;
        return { exitCode: answer ?? 0, stdout: Buffer.from('said\n'), stderr: Buffer.alloc(0) };
      },
    },
    status: () => published,
    update: ({ kind, result }) => {
      updates.push(`${(clock.elapsed() - zero) / 1000} ${kind} ${result}`);
      view();
    },
  });
  await clock.advance(3_600_000);
  const begin = () => {
    zero = clock.elapsed();
    view();
    manager.addPod(pod);
  };
  const runContainer = (id = 'c1') => {
    shown.id = id;
    shown.state = { kind: 'running', startedAt: clock.now() };
    view();
  };
  /** Publishes the pod's status, as a sync does. */
  const view = () => {
    published = manager.updateStatus(pod, now());
    return published.containerStatuses[0];
  };
  return { clock, events, updates, probed, cancelled, shown, pod, manager, begin, runContainer, view, abort };
}

/** Status of a pod whose only container, `side`, has this state and has started. */
export const aStatus = (state: ContainerApiState): PodApiStatus => ({
  phase: 'Running',
  conditions: [],
  podIPs: [],
  containerStatuses: [],
  initContainerStatuses: [
    {
      name: 'side',
      state,
      lastState: undefined,
      ready: false,
      started: true,
      restartCount: 0,
      image: '',
      imageID: '',
      containerID: 'mockri://c1',
    },
  ],
});

/** A manager whose workers see `status`, the times (ms) at which they read it, and their results. */
export function observed(version: string, status?: PodApiStatus, clock: Clock = createVirtualClock()) {
  const seen: number[] = [];
  const updates: string[] = [];
  const manager = createProbeManager({
    ...dialer(clock),
    random: createRandom(1),
    version: kubeletVersion(version),
    signal: new AbortController().signal,
    recorder: { event: () => {} },
    client: { execSync: () => Promise.reject(new Error('unused')) },
    status: () => {
      seen.push(clock.elapsed());
      return status;
    },
    update: ({ kind, result }) => updates.push(`${kind} ${result}`),
  });
  return { manager, seen, updates };
}
