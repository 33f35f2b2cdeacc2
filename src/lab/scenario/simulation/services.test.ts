import { expect, test } from 'vitest';
import { openYaml } from '../../../base/input/yaml.js';
import { parseScenario } from '../file/load.js';
import { readObjects } from '../manifests/objects.js';
import { writtenScenario } from '../manifests/written-scenario.js';
import type { Simulation } from '../run/run.js';
import { simulate } from './simulate.js';
import { simulationParts } from './simulation-parts.js';

/** What manifests come to. */
function made(objects: readonly object[], replicas = 1) {
  const documents = objects.map((object) =>
    openYaml(JSON.stringify(object), 'app.yaml', { onRepeated: () => {} }),
  );
  const { scenario, ...assumed } = writtenScenario(readObjects(documents), 'app', { replicas });
  return { ...assumed, scenario: scenario as { readonly objects?: readonly object[] } };
}

/** Runs manifests as `mockri simulate` does, through the scenario that it would save. */
async function run(objects: readonly object[], replicas = 1): Promise<Simulation> {
  const text = JSON.stringify({ ...made(objects, replicas).scenario, until: '20s' });
  return simulate({ ...simulationParts, scenario: await parseScenario(text, 'scenario.yaml') });
}

const labels = (app: string) => ({ labels: { app } });

const workload = (kind: string, name: string, spec: object, more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: { metadata: labels(name), spec }, ...more },
});

const service = (name: string, ports: readonly object[], more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, ...metadata },
  spec: { selector: { app: name }, ports, ...more },
});

const pod = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec,
});

const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: 'busybox:1.36',
  command: ['sh', '-c', script],
  ...more,
});

/** An app that runs when a script of its init container has ended. */
const app = (script: string, more: object = {}, metadata: object = {}) =>
  pod(
    'app',
    { initContainers: [shell('wait', script)], containers: [shell('app', 'sleep 1000')], ...more },
    metadata,
  );

const readiness = { tcpSocket: { port: 5672 }, initialDelaySeconds: 8, periodSeconds: 2 };
const rabbitmq = (more: object = {}) =>
  workload('Deployment', 'rabbitmq', {
    containers: [
      {
        name: 'rabbitmq',
        image: 'rabbitmq:4',
        ports: [{ containerPort: 5672, name: 'amqp' }],
        readinessProbe: readiness,
        ...more,
      },
    ],
  });

const WAIT = 'until nc -z rabbitmq 5672; do echo waiting; sleep 2; done';

/** When the first pod of this name is Ready, in seconds; undefined if it never is. */
const readyAt = ({ rows }: Simulation, name: string) =>
  rows.find(({ pod: of, ready }) => of.split('/').at(-1)?.startsWith(name) && ready === '1/1')?.t;

/** What failed containers printed. */
const printed = ({ outputs }: Simulation) => outputs.map(({ text }) => text).join('\n');

test.each([5672, 'amqp', undefined])(
  'a wait for a Service of the same file, targetPort %j, ends when a pod of it is Ready',
  async (targetPort) => {
    const objects = [app(WAIT), rabbitmq(), service('rabbitmq', [{ port: 5672, targetPort }])];
    const { guesses } = made(objects);
    const result = await run(objects);
    expect(guesses[0]).toMatchObject({
      container: 'app/wait',
      from: expect.stringContaining('which is simulated'),
    });
    const ready = readyAt(result, 'rabbitmq') ?? Number.NaN;
    const runs = readyAt(result, 'app') ?? Number.NaN;
    expect(ready).toBeGreaterThan(8);
    expect(runs).toBeGreaterThan(ready);
    expect(runs).toBeLessThan(ready + 5);
  },
);

test('a wait for a Service whose pods never get Ready does not end', async () => {
  const slow = rabbitmq({ readinessProbe: { ...readiness, initialDelaySeconds: 1000 } });
  const result = await run([app(WAIT), slow, service('rabbitmq', [{ port: 5672 }])]);
  expect(result.rows.filter(({ pod: name }) => name === 'app').at(-1)?.status).toBe('Init:0/1');
});

test('an unknown host and a Service without pods stay unknown', () => {
  const { guesses, notes, scenario } = made([
    app(WAIT),
    service('rabbitmq', [{ port: 5672 }]),
    service('away', [], { type: 'ExternalName', externalName: 'example.com' }),
  ]);
  expect(guesses[0]).toMatchObject({ does: 'ends with exit code 0 after 1s, as an init container must' });
  expect(guesses[0]?.from).toContain('nc asks rabbitmq, which is not here');
  expect(notes).toContain('ignored, because they create no pods: Service rabbitmq, Service away');
  expect(scenario.objects).toBeUndefined();
});

const web = (ports: readonly object[] = []) =>
  workload('Deployment', 'front', { containers: [{ name: 'front', image: 'example.com/front:1', ports }] });

test.each([
  'wget -q -O /dev/null http://front:8080',
  'wget -q -O /dev/null http://front.shop.svc.cluster.local:8080/health',
  'curl -sf http://front.shop:8080/',
  'nc -z front.shop.svc 9090',
  'nslookup front.shop.svc.cluster.local.',
])('%s reaches a server that does not declare its ports', async (command) => {
  const inShop = (object: { readonly metadata: object }) => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'shop' },
  });
  const result = await run([
    inShop(app(`until ${command}; do sleep 1; done`)),
    inShop(web()),
    inShop(
      service('front', [
        { name: 'http', port: 8080, targetPort: 80 },
        { name: 'admin', port: 9090 },
      ]),
    ),
  ]);
  expect(readyAt(result, 'app')).toBeLessThan(10);
});

test.each([
  ['a reply that is read', 'until wget -qO- http://front:8080 | grep ready; do sleep 1; done', 'wget'],
  ['a reply in a variable', 'until [ "$(curl -s http://front:8080)" = ok ]; do sleep 1; done', 'curl'],
  ['a reply that is encrypted', 'until curl -k https://front:8080; do sleep 1; done', 'curl'],
  ['an answer to a ping', 'until ping -c 1 front; do sleep 1; done', 'ping'],
])('%s is not known', (_, script, client) => {
  const { guesses } = made([app(script), web(), service('front', [{ port: 8080 }])]);
  expect(guesses[0]?.from).toContain(`${client} asks front, which is not here`);
});

test('pods of a StatefulSet have names under its headless Service, and are reached at the ports they have', async () => {
  const db = workload(
    'StatefulSet',
    'db',
    { containers: [{ name: 'db', image: 'postgres:17', ports: [{ containerPort: 5432 }] }] },
    { serviceName: 'db', replicas: 2 },
  );
  const script =
    'until nc -z db-0.db 5432 && nc -z db-1.db.default 5432; do sleep 1; done; nslookup db | grep -c 127; nslookup db-3.db';
  const result = await run(
    [
      app(`${script} || exit 3`, { restartPolicy: 'Never' }),
      db,
      service('db', [{ port: 5432 }], { clusterIP: 'None' }),
    ],
    3,
  );
  expect(printed(result)).toMatch(/\n3\n[\s\S]*can't find db-3.db: NXDOMAIN/);
});

test('a Service has one address, which variables and names show; nobody listens at its other ports', async () => {
  const script = `set -e
    test "$FRONT_SERVICE_HOST:$FRONT_SERVICE_PORT" = 10.96.1.0:8080
    nslookup front | grep -q 'Address: 10.96.1.0$'
    nslookup other | grep -q 'Address: 10.0.0.7$'
    until nc -z $FRONT_SERVICE_HOST 8080; do sleep 1; done
    ! nc -zv front 81
    exit 4`;
  const result = await run([
    app(script, { restartPolicy: 'Never' }),
    web(),
    service('front', [{ port: 8080 }]),
    service('other', [{ port: 1 }], { selector: { app: 'front' }, clusterIP: '10.0.0.7' }),
  ]);
  const ended = result.containerEvents.find(
    ({ what, container }) => what === 'ended' && container === 'wait',
  );
  expect(printed(result)).toBe("nc: can't connect to remote host (10.96.1.0): Connection refused");
  expect(ended?.exitCode).toBe(4);
});

test('connections go to the ready pods in turn', async () => {
  const server = workload(
    'Deployment',
    'front',
    {
      containers: [
        shell('front', 'mkdir /www && hostname > /www/index.html && httpd -f -p 80 -h /www', {
          ports: [{ containerPort: 80 }],
          readinessProbe: { tcpSocket: { port: 80 } },
        }),
      ],
    },
    { replicas: 3 },
  );
  const script = 'sleep 10; for i in 1 2 3; do wget -qO- http://front; done | sort -u | wc -l; exit 5';
  const result = await run(
    [
      pod('app', { restartPolicy: 'Never', containers: [shell('app', script)] }),
      server,
      service('front', [{ port: 80 }]),
    ],
    3,
  );
  expect(printed(result)).toBe('3');
});
