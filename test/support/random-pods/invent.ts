import { createRandom, type Random } from '../../../src/base/random/random.js';
import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';
import type { CaseContainer, CaseSpec, PodCase } from './pod-case.js';

/** Invents a pod for a kubelet of this minor version (37 for 1.37): one seed, one pod. */
export function inventPod(seed: string, name: string, minor: number): PodCase {
  return createInventor(createRandom(seed), minor).pod(name);
}

interface Invented {
  readonly container: CaseContainer;
  readonly behavior: string;
}

function createInventor(random: Random, minor: number) {
  const from = (low: number, high: number) => low + Math.floor(random.next() * (high - low + 1));
  const chance = (probability: number) => random.next() < probability;
  const pick = <T>(...items: readonly T[]) => items[from(0, items.length - 1)] as T;
  const several = <T>(least: number, most: number, make: (index: number) => T) =>
    Array.from({ length: from(least, most) }, (_, index) => make(index));

  const ending = () =>
    pick(
      `exit=${pick(0, 0, 1, 3, 42)},after=${pick('0s', '2s', '5s', '9s')}`,
      `exit=${pick(1, 2, 137, 143)},after=${pick('100ms', '3s', '20s')}`,
      `oom,after=${from(1, 8)}s`,
      pick('start-fails=no such device', `exit=1,after=${from(1, 30)}s`),
    );
  const lasting = () =>
    pick(
      'run',
      'run',
      'run,ignore=TERM',
      `on-term=exit:${pick(0, 9)},after:${from(1, 6)}s`,
      `run,start-delay=${from(1, 4)}s`,
    );
  const life = () => {
    if (chance(0.5)) return lasting();
    return chance(0.5) ? ending() : `${ending()};${lasting()}`;
  };
  /** The replies to probes and hooks, the same in each attempt. */
  const answers = () =>
    [
      ...(chance(0.5) ? ['http=8080:/healthz:200'] : []),
      ...(chance(0.2) ? [pick(`ready-after=${from(2, 12)}s`, `ready-until=${from(8, 40)}s`)] : []),
      ...(chance(0.15) ? [`exec-exit=1,from=${from(5, 30)}s`] : []),
      ...(chance(0.1) ? [`exec-delay=${from(1, 4)}s`] : []),
    ].join(',');
  const behavior = (lives: string) => {
    const more = answers();
    return more === '' ? lives : lives.replace(/(?=;|$)/g, `,${more}`);
  };

  /** The command's argument names the caller. */
  const exec = (by: string) => ({ exec: { command: ['true', by] } });
  const asked = (name: string) =>
    pick<object>(
      exec(name),
      exec(name),
      { httpGet: { port: 8080, path: pick('/healthz', '/healthz', '/none') } },
      { tcpSocket: { port: pick(8080, 8081) } },
    );
  const probe = (kind: 'startup' | 'liveness' | 'readiness') => ({
    ...asked(`${kind}-probe`),
    periodSeconds: from(2, 8),
    failureThreshold: kind === 'startup' ? from(2, 4) : from(1, 3),
    ...(chance(0.3) && { initialDelaySeconds: from(1, 8) }),
    ...(chance(0.3) && { timeoutSeconds: 2 }),
    ...(kind === 'readiness' && chance(0.2) && { successThreshold: 2 }),
    ...(kind !== 'readiness' && chance(0.3) && { terminationGracePeriodSeconds: from(1, 5) }),
  });
  const probes = () => ({
    ...(chance(0.15) && { startupProbe: probe('startup') }),
    ...(chance(0.25) && { livenessProbe: probe('liveness') }),
    ...(chance(0.3) && { readinessProbe: probe('readiness') }),
  });
  const hook = (name: string) =>
    pick<object>(exec(name), exec(name), ...(minor >= 30 ? [{ sleep: { seconds: from(1, 2) } }] : []), {
      httpGet: { port: 8080, path: pick('/healthz', '/none') },
    });
  const lifecycle = () => {
    const hooks = {
      ...(chance(0.12) && { postStart: hook('post-start') }),
      ...(chance(0.2) && { preStop: hook('pre-stop') }),
    };
    return Object.keys(hooks).length > 0 ? { lifecycle: hooks } : {};
  };
  const ownPolicy = () => {
    if (minor < 35 || !chance(0.12)) return {};
    const exitCodes = { operator: pick('In', 'NotIn'), values: [pick(1, 3, 42)] };
    const action = minor >= 36 ? pick('Restart', 'Restart', 'RestartAllContainers') : 'Restart';
    return {
      restartPolicy: pick('Never', 'OnFailure'),
      ...(chance(0.7) && { restartPolicyRules: [{ action, exitCodes }] }),
    };
  };
  const resources = () => {
    if (!chance(0.2)) return {};
    const amounts = { cpu: `${from(1, 9)}0m`, memory: `${from(1, 9)}0Mi` };
    return {
      resources: pick<object>(
        { requests: amounts },
        { limits: amounts },
        { requests: amounts, limits: amounts },
      ),
    };
  };
  const variables = () => {
    if (!chance(0.15)) return {};
    const valueFrom = pick<object>(
      { fieldRef: { fieldPath: pick('metadata.uid', 'status.podIP', 'spec.nodeName') } },
      { resourceFieldRef: { resource: pick('limits.cpu', 'requests.memory') } },
    );
    return { env: [{ name: 'ABOUT', valueFrom }] };
  };
  const volume = () => {
    const items = [{ path: 'about', fieldRef: { fieldPath: 'metadata.labels' } }];
    return pick<object>(
      { emptyDir: {} },
      { downwardAPI: { items } },
      { projected: { sources: [{ downwardAPI: { items } }] } },
    );
  };
  // Mockri uses the same image for names with equal ends, and the kubelet asks for credentials for it
  // (results/kubelet.md).
  const image = (pod: string, name: string) => ({
    image: chance(0.03) ? `localhost/no-such-image/${pod}-${name}:1` : `registry.example/${pod}-${name}:1`,
    ...(chance(0.3) && { imagePullPolicy: pick('Always', 'IfNotPresent', 'Always', 'Never') }),
  });
  const app = (pod: string, name: string): Invented => ({
    container: {
      name,
      ...image(pod, name),
      ...lifecycle(),
      ...probes(),
      ...ownPolicy(),
      ...resources(),
      ...variables(),
      ...(chance(0.2) && { volumeMounts: [{ name: 'files', mountPath: '/files' }] }),
    },
    behavior: behavior(life()),
  });
  const init = (pod: string, name: string): Invented => {
    if (minor >= 29 && chance(0.4)) {
      const { container, behavior: lives } = app(pod, name);
      const { restartPolicyRules: _, ...rest } = container;
      return { container: { ...rest, restartPolicy: 'Always' }, behavior: lives };
    }
    const after = `after=${from(0, 4)}s`;
    const lives = pick(
      `exit=0,${after}`,
      `exit=0,${after}`,
      `exit=0,${after}`,
      `exit=5,${after};exit=0,${after}`,
      `exit=6,${after}`,
    );
    return { container: { name, ...image(pod, name), ...resources() }, behavior: lives };
  };

  const counts = () => ({ ...(chance(0.4) && { after: from(1, 2) }), times: from(1, 3) });
  const fault = (names: readonly string[]): FaultInput => {
    const container = chance(0.6) ? { container: { name: pick(...names) } } : {};
    const [method, about, then] = pick<readonly [string, object, object]>(
      [pick('RunPodSandbox', 'StopPodSandbox', 'RemovePodSandbox', 'PodSandboxStatus'), {}, failure()],
      [pick('CreateContainer', 'StartContainer'), container, failure()],
      [pick('StopContainer', 'RemoveContainer', 'ContainerStatus', 'ExecSync'), container, failure()],
      ['PullImage', {}, failure()],
      [pick('RunPodSandbox', 'PullImage'), {}, { delay: `${from(1, 12)}s` }],
      [pick('CreateContainer', 'StartContainer', 'StopContainer'), container, { delay: `${from(1, 12)}s` }],
      ['StopContainer', container, { ignoreStop: {} }],
    );
    return { match: { method, ...about }, when: counts(), then } as FaultInput;
  };
  const failure = () => ({
    error: {
      code: pick('UNAVAILABLE', 'UNKNOWN', 'DEADLINE_EXCEEDED'),
      message: 'oops',
      ...(chance(0.4) && { effect: 'after' }),
    },
  });

  return {
    pod: (name: string): PodCase => {
      const inits = chance(0.45) ? several(1, 3, (index) => init(name, `init${index}`)) : [];
      const apps = several(1, 3, (index) => app(name, `app${index}`));
      const invented = [...inits, ...apps];
      const spec: CaseSpec = {
        restartPolicy: pick('Always', 'Always', 'OnFailure', 'Never'),
        terminationGracePeriodSeconds: from(2, 10),
        ...(chance(0.06) && { activeDeadlineSeconds: from(6, 40) }),
        ...(invented.some(({ container }) => 'volumeMounts' in container) && {
          volumes: [{ name: 'files', ...volume() }],
        }),
        ...(inits.length > 0 && { initContainers: inits.map(({ container }) => container) }),
        containers: apps.map(({ container }) => container),
      };
      const names = invented.map(({ container }) => container.name);
      return {
        name,
        spec,
        behaviors: Object.fromEntries(invented.map((each) => [each.container.name, each.behavior])),
        faults: chance(0.5) ? several(1, 2, () => fault(names)) : [],
        removedAt: chance(0.45) ? from(30, 700) / 10 : undefined,
      };
    },
  };
}
