import type { CriClient } from '../../../../cri/client/client.js';
import {
  type Container,
  ContainerState,
  type PodSandbox,
  PodSandboxState,
} from '../../../../cri/gen/runtime/v1/api.js';
import type { Check, Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual, mustWork, show } from '../../expect.js';

const listContainers = async (t: CheckContext, filter?: object): Promise<readonly Container[]> =>
  (await t.cri.listContainers({ filter: filter })).containers;

const listSandboxes = async (t: CheckContext, filter?: object): Promise<readonly PodSandbox[]> =>
  (await t.cri.listPodSandbox({ filter: filter })).items;

const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map((item) => item.id).sort();

/** Two pods with three containers in all states, and overlapping labels. */
async function population(t: CheckContext) {
  const front = await t.sandbox({ labels: { tier: 'front', app: 'shop' } });
  const back = await t.sandbox({ labels: { tier: 'back', app: 'shop' } });
  const running = await t.start(front, { labels: { role: 'web', app: 'shop' } });
  const created = await t.create(front, { labels: { role: 'side', app: 'shop' } });
  const exited = await t.script(back, 'exit 0', { labels: { role: 'web', app: 'shop', empty: '' } });
  await t.exited(exited);
  return { front, back, running, created, exited };
}

/** Fields that both an item of ListContainers and a status have. */
const FIELDS = ['metadata', 'state', 'createdAt', 'labels', 'annotations', 'imageId'] as const;

export const listChecks: Checks = {
  async 'INV-18.containers'(t) {
    const { running, created, exited } = await population(t);
    const listed = await listContainers(t);
    for (const id of [running, created, exited]) {
      const item = listed.find((container) => container.id === id);
      must(item !== undefined, `container ${id} in the list`, idsOf(listed));
      const status = await t.status(id);
      for (const field of FIELDS) {
        mustEqual(item[field], status[field], `${field} in the list and in the status of ${id}`);
      }
    }
  },
  async 'INV-18.sandboxes'(t) {
    const { front, back } = await population(t);
    await t.cri.stopPodSandbox({ podSandboxId: back.id });
    const listed = await listSandboxes(t);
    for (const { id } of [front, back]) {
      const item = listed.find((sandbox) => sandbox.id === id);
      must(item !== undefined, `sandbox ${id} in the list`, idsOf(listed));
      const status = await t.sandboxStatus(id);
      for (const field of [
        'metadata',
        'state',
        'createdAt',
        'labels',
        'annotations',
        'runtimeHandler',
      ] as const) {
        mustEqual(item[field], status[field], `${field} in the list and in the status of ${id}`);
      }
    }
  },
  async 'INV-21.snapshot'(t) {
    const sandbox = await t.sandbox();
    let busy = true;
    const seen = new Set<string>();
    const look = async () => {
      const before = [...seen];
      const ids = idsOf(await listContainers(t, { podSandboxId: sandbox.id }));
      for (const id of ids) seen.add(id);
      const lost = before.filter((id) => !ids.includes(id));
      must(lost.length === 0, 'every container that an earlier list had', lost);
    };
    const watching = (async () => {
      while (busy) await look();
      for (let round = 0; round < LOOKS; round++) await look();
    })();
    watching.catch(() => {});
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        t.create(sandbox, index % 2 === 0 ? {} : { image: { image: 'localhost/no-such-image:1' } }),
      ),
    );
    busy = false;
    await watching;
    const created = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const ghosts = [...seen].filter((id) => !created.includes(id));
    must(ghosts.length === 0, 'only containers whose CreateContainer succeeded in the lists', ghosts);
  },
};

/** Number of lists to make when nothing changes any more. */
const LOOKS = 20;

export const filterChecks: Checks = {
  async 'INV-19.containers'(t) {
    const { front, back, running, created, exited } = await population(t);
    const web = { labelSelector: { role: 'web' } };
    const state = (value: ContainerState) => ({ state: { state: value } });
    const cases: readonly [object, readonly string[]][] = [
      [{ podSandboxId: front.id }, [running, created]],
      [{ podSandboxId: front.id.slice(0, 20) }, [running, created]],
      [{ podSandboxId: front.id, ...web }, [running]],
      [{ podSandboxId: front.id, ...state(ContainerState.CONTAINER_CREATED) }, [created]],
      [{ podSandboxId: back.id, ...state(ContainerState.CONTAINER_RUNNING) }, []],
      [{ id: running }, [running]],
      [{ id: running.slice(0, 20) }, [running]],
      [{ id: running, podSandboxId: back.id }, []],
      [{ id: exited, ...state(ContainerState.CONTAINER_EXITED), ...web }, [exited]],
      [{ podSandboxId: back.id, labelSelector: { role: 'web', app: 'other' } }, []],
      [{ podSandboxId: back.id, labelSelector: { empty: '' } }, [exited]],
      [{ podSandboxId: back.id, labelSelector: { role: '' } }, []],
      [{ id: 'f'.repeat(64) }, []],
    ];
    for (const [filter, expected] of cases) {
      const listed = await mustWork(listContainers(t, filter), `ListContainers ${show(filter)}`);
      mustEqual(idsOf(listed), [...expected].sort(), `ListContainers ${show(filter)}`);
    }
  },
  async 'INV-19.sandboxes'(t) {
    const app = t.name('app');
    const one = await t.sandbox({ labels: { app, tier: 'front' } });
    const two = await t.sandbox({ labels: { app, tier: 'back' } });
    await t.cri.stopPodSandbox({ podSandboxId: two.id });
    const ready = { state: { state: PodSandboxState.SANDBOX_READY } };
    const stopped = { state: { state: PodSandboxState.SANDBOX_NOTREADY } };
    const cases: readonly [object, readonly string[]][] = [
      [{ labelSelector: { app } }, [one.id, two.id]],
      [{ labelSelector: { app, tier: 'back' } }, [two.id]],
      [{ labelSelector: { app }, ...ready }, [one.id]],
      [{ labelSelector: { app }, ...stopped }, [two.id]],
      [{ id: one.id, ...stopped }, []],
      [{ id: one.id.slice(0, 20) }, [one.id]],
      [{ id: one.id, labelSelector: { tier: 'back' } }, []],
      [{ id: '0'.repeat(64) }, []],
    ];
    for (const [filter, expected] of cases) {
      const listed = await mustWork(listSandboxes(t, filter), `ListPodSandbox ${show(filter)}`);
      mustEqual(idsOf(listed), [...expected].sort(), `ListPodSandbox ${show(filter)}`);
    }
  },
  async 'INV-19.empty'(t) {
    await population(t);
    mustEqual(
      idsOf(await listContainers(t, {})),
      idsOf(await listContainers(t)),
      'ListContainers with an empty filter',
    );
    mustEqual(
      idsOf(await listSandboxes(t, {})),
      idsOf(await listSandboxes(t)),
      'ListPodSandbox with an empty filter',
    );
  },
  async 'INV-19.images'(t) {
    const found = await t.cri.listImages({ filter: { image: { image: t.facts.image } } });
    const { image } = await t.cri.imageStatus({ image: { image: t.facts.image }, verbose: false });
    mustEqual(idsOf(found.images), [image?.id], 'the listed images');
    const none = await t.cri.listImages({
      filter: { image: { image: 'localhost/no-such-image:1' } },
    });
    mustEqual(none.images, [], 'the listed images for an absent image');
  },
};

/** Identity of the items of the lists; each item type uses one field. */
interface Item {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly attributes?: { readonly id: string };
}

/** A streaming list: how to read it, the unary counterpart, and the identity of its items. */
interface StreamingList {
  readonly name: string;
  readonly stream: (cri: CriClient, filter: object | undefined) => AsyncIterable<object>;
  readonly unary: (cri: CriClient, filter: object | undefined) => Promise<object>;
  /** Returns the whole item, or only its id if it has changing figures. */
  readonly key: (item: Item) => string;
  /** A filter that only some items fit. */
  readonly filterOf?: (t: CheckContext, sandbox: Sandbox, labels: Readonly<Record<string, string>>) => object;
}

const whole = (item: Item): string => show(item, Number.POSITIVE_INFINITY);

const STREAMS: readonly StreamingList[] = [
  {
    name: 'StreamPodSandboxes',
    stream: (cri, filter) => cri.streamPodSandboxes({ filter }),
    unary: (cri, filter) => cri.listPodSandbox({ filter }),
    key: whole,
    filterOf: (_, { id }) => ({ id }),
  },
  {
    name: 'StreamContainers',
    stream: (cri, filter) => cri.streamContainers({ filter }),
    unary: (cri, filter) => cri.listContainers({ filter }),
    key: whole,
    filterOf: (_, { id }, labelSelector) => ({ podSandboxId: id, labelSelector }),
  },
  {
    name: 'StreamContainerStats',
    stream: (cri, filter) => cri.streamContainerStats({ filter }),
    unary: (cri, filter) => cri.listContainerStats({ filter }),
    key: (item) => item.attributes?.id ?? '',
    filterOf: (_, { id }, labelSelector) => ({ podSandboxId: id, labelSelector }),
  },
  {
    name: 'StreamPodSandboxStats',
    stream: (cri, filter) => cri.streamPodSandboxStats({ filter }),
    unary: (cri, filter) => cri.listPodSandboxStats({ filter }),
    key: (item) => item.attributes?.id ?? '',
    filterOf: (_, { id }) => ({ id }),
  },
  {
    name: 'StreamPodSandboxMetrics',
    stream: (cri) => cri.streamPodSandboxMetrics({}),
    unary: (cri) => cri.listPodSandboxMetrics({}),
    key: (item) => item.podSandboxId ?? '',
  },
  {
    name: 'StreamImages',
    stream: (cri, filter) => cri.streamImages({ filter }),
    unary: (cri, filter) => cri.listImages({ filter }),
    key: whole,
    filterOf: ({ facts: { image } }) => ({ image: { image } }),
  },
];

const itemsOf = (reply: object): readonly Item[] =>
  (Object.values(reply).find(Array.isArray) as Item[] | undefined) ?? [];

export const streamingListChecks: Checks = Object.fromEntries(
  STREAMS.map(({ name, stream, unary, key, filterOf }): [string, Check['run']] => [
    `INV-20.${name}`,
    async (t) => {
      const sandbox = await t.sandbox();
      const labels = { app: t.name('app') };
      await t.start(sandbox, { labels });
      await t.start(sandbox);
      const filters = filterOf === undefined ? [undefined] : [undefined, filterOf(t, sandbox, labels)];
      for (const filter of filters) {
        const about = filter === undefined ? name : `${name} ${show(filter)}`;
        const listed = itemsOf(await unary(t.cri, filter)).map(key);
        const streamed: string[] = [];
        for await (const chunk of stream(t.cri, filter)) {
          const items = itemsOf(chunk);
          must(items.length > 0, 'no empty chunk', show(chunk));
          streamed.push(...items.map(key));
        }
        mustEqual(streamed.sort(), listed.sort(), `the items of ${about}`);
      }
    },
  ]),
);
