import type { Line } from '../../../src/tape/entries.js';

const DAY = 86_400e9;

/** The text of a tape: a kubelet that lists and checks its pods, and restarts a container of some of them. */
export function dayOfPods(calls: number, pods: number): string {
  const lines: string[] = [];
  const put = (line: Line) => void lines.push(`${JSON.stringify(line)}\n`);
  put({
    t: 0,
    kind: 'header',
    version: 1,
    startedAt: '1767225600000000000',
    clock: 'real',
    recorder: 'bench',
    redacted: [],
  });
  const attempts = new Map<number, number>();
  for (let call = 1; call <= calls; call++) {
    const t = Math.round((call / (calls + 1)) * DAY);
    const index = call % pods;
    const pod = { id: `sandbox-${index}`, name: `pod-${index}`, namespace: 'default', uid: `uid-${index}` };
    const attempt = attempts.get(index) ?? 0;
    const container = { id: `container-${index}-${attempt}`, name: 'app', attempt };
    const isList = call % 2 === 0;
    const method = isList ? 'ListContainers' : 'ContainerStatus';
    const about = isList ? {} : { pod, container };
    const status = {
      id: container.id,
      metadata: { name: 'app', attempt },
      state: 'CONTAINER_RUNNING',
      image: { image: 'nginx:1' },
    };
    put({
      t,
      kind: 'call',
      call,
      method,
      connection: 1,
      ...about,
      message: isList ? { filter: {} } : { containerId: container.id },
    });
    if (call <= pods) {
      put({ t, kind: 'row', pod, ready: '1/1', status: 'Running', restarts: 0 });
      put({ t, kind: 'container', pod, container, what: 'started' });
    } else if (call % 501 === 0) {
      attempts.set(index, attempt + 1);
      const next = { ...container, id: `container-${index}-${attempt + 1}`, attempt: attempt + 1 };
      put({ t, kind: 'container', pod, container, what: 'ended', exitCode: 1, reason: 'Error' });
      put({
        t,
        kind: 'event',
        pod,
        field: 'spec.containers{app}',
        type: 'Warning',
        reason: 'BackOff',
        text: 'Back-off restarting failed container',
      });
      put({ t, kind: 'row', pod, ready: '1/1', status: 'Running', restarts: attempt + 1 });
      put({ t, kind: 'container', pod, container: next, what: 'started' });
    }
    const answer = isList ? { containers: [] } : { status };
    put({ t: t + 2_000_000, kind: 'reply', call, method, code: 'OK', message: answer });
  }
  return lines.join('');
}
