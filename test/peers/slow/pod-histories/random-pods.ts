// Generates pods whose histories can be compared with the real kubelet's: random-pods.ts SEED COUNT >pods.yaml
import { stringify } from 'yaml';
import { createRandom } from '../../../../src/base/random/random.js';

const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const [seed = '1', count = '40'] = process.argv.slice(2);
const random = createRandom(seed);
const from = (low: number, high: number) => low + Math.floor(random.next() * (high - low + 1));
const chance = (probability: number) => random.next() < probability;
const pick = <T>(...items: readonly T[]) => items[from(0, items.length - 1)] as T;
const sh = (script: string) => ['sh', '-c', script];

const FOREVER = "trap 'exit 0' TERM; while true; do sleep 1; done";
const DEAF = "trap '' TERM; while true; do sleep 1; done";
/** A script that counts its starts in a file of the pod. */
const counted = (name: string, first: string, later: string) =>
  `n=$(cat /m/${name} 2>/dev/null); echo x$n >/m/${name}; if [ "$n" != "${'x'.repeat(from(0, 1))}" ]; then ${later}; else ${first}; fi`;

function ending(): string {
  const time = pick(0, 2, 4, 7);
  return pick(
    `sleep ${time}; exit ${pick(0, 0, 1, 3, 42)}`,
    `sleep ${time}; exit ${pick(1, 2, 137, 143)}`,
    `sleep ${time}; kill -${pick('KILL', 'TERM', 'SEGV')} $$; sleep 1`,
  );
}

const lasting = () =>
  pick(
    FOREVER,
    FOREVER,
    DEAF,
    `trap 'sleep ${from(1, 5)}; exit ${pick(0, 9)}' TERM; while true; do sleep 1; done`,
  );

function script(name: string): string {
  if (chance(0.5)) return lasting();
  return chance(0.5) ? ending() : counted(name, ending(), lasting());
}

const exec = (text: string) => ({ exec: { command: sh(text) } });

function handler(action: 'start' | 'stop'): object {
  return pick<object>(
    exec(`sleep ${from(0, 4)}`),
    exec(`sleep ${from(0, 2)}; ${action === 'stop' ? 'exit 0' : `exit ${pick(0, 1)}`}`),
    { sleep: { seconds: from(1, 4) } },
    { httpGet: { port: 8099, path: '/hook' } },
  );
}

function lifecycle(): object {
  const hooks: Record<string, object> = {};
  if (chance(0.15)) hooks.postStart = handler('start');
  if (chance(0.3)) hooks.preStop = handler('stop');
  return Object.keys(hooks).length > 0 ? { lifecycle: hooks } : {};
}

function probe(kind: 'startup' | 'liveness' | 'readiness'): object {
  const what = pick<object>(
    exec('[ -f /tmp/ok ]'),
    exec(kind === 'readiness' ? `exit ${pick(0, 1)}` : 'exit 0'),
    exec(`echo no; exit ${pick(0, 0, 1)}`),
    exec(`sleep ${pick(0, 3)}`),
    { tcpSocket: { port: pick(8080, 8081) } },
    { httpGet: { port: pick(8080, 8081), path: pick('/', '/index.html', '/none') } },
    { grpc: { port: 8080 } },
  );
  return {
    ...what,
    periodSeconds: from(2, 6),
    failureThreshold: kind === 'startup' ? from(2, 4) : from(1, 3),
    ...(chance(0.3) && { initialDelaySeconds: from(1, 6) }),
    ...(chance(0.3) && { timeoutSeconds: 2 }),
    ...(kind === 'readiness' && chance(0.2) && { successThreshold: 2 }),
    ...(kind !== 'readiness' && chance(0.3) && { terminationGracePeriodSeconds: from(1, 4) }),
  };
}

function probes(): object {
  return {
    ...(chance(0.15) && { startupProbe: probe('startup') }),
    ...(chance(0.25) && { livenessProbe: probe('liveness') }),
    ...(chance(0.3) && { readinessProbe: probe('readiness') }),
  };
}

/** Targets of some probes: a file that exists for some time, or a server. */
const prelude = () =>
  pick(
    '',
    '',
    'touch /tmp/ok; ',
    `(sleep ${from(3, 9)}; touch /tmp/ok) & `,
    `touch /tmp/ok; (sleep ${from(8, 20)}; rm /tmp/ok) & `,
  ) + pick('', '', 'mkdir /tmp/w; echo hi >/tmp/w/index.html; httpd -p 8080 -h /tmp/w; ');

function ownPolicy(): object {
  if (!chance(0.15)) return {};
  const operator = pick('In', 'NotIn');
  const rules = [
    {
      action: pick('Restart', 'Restart', 'RestartAllContainers'),
      exitCodes: { operator, values: [pick(1, 3, 42)] },
    },
  ];
  return { restartPolicy: pick('Never', 'OnFailure'), ...(chance(0.7) && { restartPolicyRules: rules }) };
}

const mounts = { volumeMounts: [{ name: 'm', mountPath: '/m' }] };

function app(name: string): object {
  return {
    name,
    image: chance(0.03) ? 'localhost:5000/nope:1' : IMAGE,
    command: sh(prelude() + script(name)),
    ...mounts,
    ...lifecycle(),
    ...probes(),
    ...ownPolicy(),
  };
}

function init(name: string): object {
  if (chance(0.4)) return { ...app(name), restartPolicy: 'Always', restartPolicyRules: undefined };
  const time = from(0, 4);
  const run = pick(
    `sleep ${time}`,
    `sleep ${time}`,
    `sleep ${time}`,
    counted(name, `sleep ${time}; exit 5`, 'exit 0'),
    `sleep ${time}; exit 6`,
  );
  return { name, image: IMAGE, command: sh(run), ...mounts };
}

const several = <T>(most: number, least: number, make: (index: number) => T) =>
  Array.from({ length: from(least, most) }, (_, index) => make(index));

function pod(index: number): object {
  const inits = chance(0.6) ? several(3, 1, (number) => init(`init${number}`)) : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `random-${seed}-${index}`,
      ...(chance(0.35) && { annotations: { 'life/removed-at': `${from(12, 45)}.5s` } }),
    },
    spec: {
      restartPolicy: pick('Always', 'Always', 'OnFailure', 'Never'),
      terminationGracePeriodSeconds: from(1, 8),
      ...(chance(0.06) && { activeDeadlineSeconds: from(6, 30) }),
      volumes: [{ name: 'm', emptyDir: {} }],
      ...(inits.length > 0 && { initContainers: inits }),
      containers: several(3, 1, (number) => app(`app${number}`)),
    },
  };
}

console.log(
  Array.from({ length: Number(count) }, (_, index) =>
    stringify(pod(index), { flowCollectionPadding: false, collectionStyle: 'any', lineWidth: 0 }),
  )
    .join('---\n')
    .trimEnd(),
);
