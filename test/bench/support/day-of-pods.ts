import type { Line } from '../../../src/tape/entries.js';

const DAY = 86_400e9;
const STARTED_AT = 1_767_225_600_000_000_000n;

/**
 * The text of a tape: a kubelet that lists and checks its pods, and replaces a container of one of them after 500 calls.
 * No rule is broken, and a repeated message is written once, as by the recorder.
 */
export function dayOfPods(calls: number, pods: number): string {
  const lines: string[] = [];
  const put = (line: Line) => void lines.push(`${JSON.stringify(line)}\n`);
  const startedAt = String(STARTED_AT);
  put({ t: 0, kind: 'header', version: 1, startedAt, clock: 'real', recorder: 'bench', redacted: [] });
  const written = new Map<string, number>();
  const once = (kind: string, message: Record<string, unknown>) => {
    const key = `${kind} ${JSON.stringify(message)}`;
    const sameAs = written.get(key);
    if (sameAs !== undefined) return { sameAs };
    written.set(key, lines.length + 1);
    return { message };
  };
  let call = 0;
  const time = () => Math.round((call / (calls + 5)) * DAY);
  const exchange = (
    method: string,
    about: object,
    request: Record<string, unknown>,
    reply: Record<string, unknown>,
  ) => {
    const t = time();
    call++;
    put({ t, kind: 'call', call, method, connection: 1, ...about, ...once(`${method} call`, request) });
    put({
      t: t + 2_000_000,
      kind: 'reply',
      call,
      method,
      code: 'OK',
      ...once(`${method} reply`, reply),
    });
  };

  const running = Array.from({ length: pods }, (_, index) => startedContainer(index, 0, 0));
  const list = () =>
    exchange('ListContainers', {}, { filter: {} }, { containers: running.map(({ item }) => item) });
  for (const { about, container } of running) {
    put({ t: 0, kind: 'row', pod: about.pod, ready: '1/1', status: 'Running', restarts: 0 });
    put({ t: 0, kind: 'container', ...about, container, what: 'started' });
  }
  while (call < calls) {
    const index = call % pods;
    const { about, container, status } = running[index] as Running;
    if (call % 2 === 0) list();
    else exchange('ContainerStatus', about, { containerId: container.id }, { status });
    if (call % 501 !== 0) continue;
    replace(index);
  }
  return lines.join('');

  function replace(index: number): void {
    const { about, container } = running[index] as Running;
    const { pod } = about;
    const restarts = container.attempt + 1;
    put({ t: time(), kind: 'container', ...about, what: 'ended', exitCode: 1, reason: 'Error' });
    put({
      t: time(),
      kind: 'event',
      pod,
      field: 'spec.containers{app}',
      type: 'Warning',
      reason: 'BackOff',
      text: 'Back-off restarting failed container',
    });
    const next = startedContainer(index, restarts, time());
    const config = { metadata: next.item.metadata, image: { image: 'nginx:1' } };
    const containerId = next.container.id;
    exchange('CreateContainer', about, { podSandboxId: pod.id, config }, { containerId });
    exchange('StartContainer', next.about, { containerId }, {});
    put({ t: time(), kind: 'row', pod, ready: '1/1', status: 'Running', restarts });
    put({ t: time(), kind: 'container', ...next.about, what: 'started' });
    exchange('RemoveContainer', about, { containerId: container.id }, {});
    running[index] = next;
  }
}

type Running = ReturnType<typeof startedContainer>;

function startedContainer(index: number, attempt: number, t: number) {
  const pod = { id: `sandbox-${index}`, name: `pod-${index}`, namespace: 'default', uid: `uid-${index}` };
  const container = { id: `container-${index}-${attempt}`, name: 'app', attempt };
  const at = String(STARTED_AT + BigInt(t));
  const image = { image: { image: 'nginx:1' }, imageRef: 'sha256:1', imageId: 'sha256:1' };
  const { id } = container;
  const common = {
    id,
    metadata: { name: 'app', attempt },
    ...image,
    state: 'CONTAINER_RUNNING',
    createdAt: at,
  };
  return {
    about: { pod, container },
    container,
    item: { ...common, podSandboxId: pod.id },
    status: { ...common, startedAt: at },
  };
}
