import type { CreateContainerRequest, RunPodSandboxRequest } from '../../cri/gen/runtime/v1/api.js';
import type { Exchange, OpenCall, Watcher } from '../conversation/exchange.js';
import type { Objects } from '../conversation/objects.js';
import { containerName, sandboxName, type TrackedObject } from '../conversation/tracked-object.js';
import type { Findings } from '../finding.js';
import { isTaken } from '../runtime/names.js';

interface AnyRequest {
  readonly podSandboxId?: string;
  readonly containerId?: string;
}

interface Failure {
  readonly method: string;
  readonly line: number;
}

/** Failed calls that are remembered until they are repeated. */
const MOST_FAILURES = 10_000;

/** What a client must not do: the rules of the referee, REF-01 to REF-08, as far as the conversation shows the state. */
export function watchClient(objects: Objects, findings: Findings): Watcher {
  const failures = new Map<string, Failure>();
  const fail = (key: string, failure: Failure | undefined) => {
    failures.delete(key);
    if (failure !== undefined) failures.set(key, failure);
    const [oldest] = failures.keys();
    if (failures.size > MOST_FAILURES && oldest !== undefined) failures.delete(oldest);
  };
  /** Of an object whose state can't have changed since it was seen. */
  const isSure = (object: TrackedObject | undefined, line: number): object is TrackedObject =>
    object !== undefined && object.presence === 'present' && objects.isStill(object, line);

  const before: Readonly<Record<string, (object: TrackedObject | undefined, open: OpenCall) => void>> = {
    StartContainer: (object, { line }) => {
      if (object !== undefined && object.least > 0 && object.leastLine > 0 && object.presence === 'present')
        findings.add('REF-01', object.id, `StartContainer of ${object.name}, which was started before`, [
          object.leastLine,
          line,
        ]);
    },
    CreateContainer: (object, { call, line }) => {
      if (!isSure(object, line)) return;
      if (object.least === 2)
        findings.add('REF-02', object.id, `CreateContainer in ${object.name}, which is stopped`, [
          object.leastLine,
          line,
        ]);
      const given = call.message.value<CreateContainerRequest>().sandboxConfig?.metadata;
      if (given !== undefined && object.madeAt > 0 && sandboxName(given) !== object.name)
        findings.add(
          'REF-08',
          object.id,
          `CreateContainer with the config of ${sandboxName(given)} in ${object.name}`,
          [object.madeAt, line],
        );
    },
    RemoveContainer: (object, { line }) => {
      if (!isSure(object, line)) return;
      const failed = failures.get(`StopContainer ${object.id}`);
      if (object.least !== 1) return;
      // A container that was started and not seen to end may have ended by itself; the client had to stop it anyway.
      if (failed !== undefined)
        findings.add(
          'REF-07',
          object.id,
          `RemoveContainer of ${object.name} after StopContainer had failed`,
          [failed.line, line],
        );
      else
        findings.add('REF-05', object.id, `RemoveContainer of ${object.name}, which was not seen to end`, [
          object.leastLine,
          line,
        ]);
    },
    RemovePodSandbox: (object, { line }) => {
      if (!isSure(object, line) || object.kind !== 'sandbox') return;
      const failed = failures.get(`StopPodSandbox ${object.id}`);
      if (failed !== undefined)
        findings.add(
          'REF-07',
          object.id,
          `RemovePodSandbox of ${object.name} after StopPodSandbox had failed`,
          [failed.line, line],
        );
      else if (object.least === 0 && object.madeAt > 0)
        findings.add('REF-06', object.id, `RemovePodSandbox of ${object.name}, which is READY`, [
          object.madeAt,
          line,
        ]);
    },
    ExecSync: afterStart('ExecSync', failures, findings),
    Exec: afterStart('Exec', failures, findings),
    Attach: afterStart('Attach', failures, findings),
  };

  return {
    called: (open) => {
      const { podSandboxId, containerId } = open.call.message.value<AnyRequest>();
      before[open.call.method]?.(objects.find(containerId ?? podSandboxId), open);
    },
    answered: (exchange) => {
      taken(exchange, objects, findings);
      const { method, call, replyLine, isOk } = exchange;
      if (!/^(Start|Stop)(Container|PodSandbox)$/.test(method)) return;
      const { podSandboxId, containerId } = call.message.value<AnyRequest>();
      const id = objects.find(containerId ?? podSandboxId)?.id;
      if (id !== undefined) fail(`${method} ${id}`, isOk ? undefined : { method, line: replyLine });
    },
    forget: () => failures.clear(),
  };
}

const afterStart =
  (method: string, failures: ReadonlyMap<string, Failure>, findings: Findings) =>
  (object: TrackedObject | undefined, { line }: OpenCall) => {
    const failed = object && failures.get(`StartContainer ${object.id}`);
    if (failed !== undefined)
      findings.add(
        'REF-07',
        object?.id ?? '',
        `${method} in ${object?.name} after StartContainer had failed`,
        [failed.line, line],
      );
  };

/** A name that is refused because it is in use, as the client could know (REF-03, REF-04). */
function taken(exchange: Exchange, objects: Objects, findings: Findings): void {
  const { method, call, callLine, replyLine, isOk } = exchange;
  if (isOk || (method !== 'RunPodSandbox' && method !== 'CreateContainer')) return;
  if (!isTaken(exchange)) return;
  const isSandbox = method === 'RunPodSandbox';
  const { metadata } = call.message.value<RunPodSandboxRequest>().config ?? {};
  const name = isSandbox ? sandboxName(metadata) : containerName(metadata);
  const { podSandboxId } = call.message.value<AnyRequest>();
  for (const owner of objects.live) {
    if (owner.name !== name || owner.kind !== (isSandbox ? 'sandbox' : 'container')) continue;
    if (owner.presence !== 'present' || owner.presenceLine > callLine) continue;
    if (!isSandbox && owner.sandboxId !== podSandboxId) continue;
    findings.add(isSandbox ? 'REF-03' : 'REF-04', owner.id, `${method} uses ${name}, which is still there`, [
      owner.madeAt,
      replyLine,
    ]);
  }
}
