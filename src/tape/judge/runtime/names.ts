import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type {
  CreateContainerRequest,
  ListContainersRequest,
  ListContainersResponse,
  RunPodSandboxRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Objects } from '../../world/objects.js';
import { containerName, sandboxName } from '../../world/shown.js';
import type { TrackedObject } from '../../world/tracked-object.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import { isTaken } from '../client/client-rules.js';
import type { Findings } from '../finding.js';

/** State of the last creation under a name. */
interface Reservation {
  readonly state: 'held' | 'failed' | 'cancelled';
  readonly line: number;
  readonly t: number;
  readonly id: string;
  /** A later creation that was refused because the name is in use. */
  refused?: { readonly line: number; readonly t: number };
}

/** In ns: how long a cancelled creation may continue and keep its name in use. */
const UNDONE = 1_000_000_000;
const MOST_NAMES = 5000;
/** Digits of a prefix that should be unique. */
const LONG_PREFIX = 12;

/** Codes for a refused name, or for another cause of the failure (INV-11.name-taken). */
const GOOD_CODE =
  /^(ALREADY_EXISTS|FAILED_PRECONDITION|INVALID_ARGUMENT|NOT_FOUND|RESOURCE_EXHAUSTED|UNIMPLEMENTED)$/;

/** Checks the reservation of names and the form of ids (INV-11 to INV-14, INV-17). */
export function watchNames(objects: Objects, findings: Findings): Watcher {
  const names = new Map<string, Reservation>();
  const refusals = checkRefusals(findings);
  const keep = (key: string, reservation: Reservation) => {
    refusals.forget(key);
    names.delete(key);
    names.set(key, reservation);
    forgetOldest(names, MOST_NAMES);
  };

  const creation = (exchange: AnsweredCall) => {
    const { method, reply, callLine, replyLine, isOk, isOpenEnded } = exchange;
    const asked = nameOf(exchange, objects);
    if (asked === undefined) return;
    const { key, text, sandbox } = asked;
    const before = names.get(key);
    const ended = { line: replyLine, t: reply.t };
    if (isOk) {
      const answer = reply.message?.value<{ podSandboxId?: string; containerId?: string }>();
      const id = (sandbox === undefined ? answer?.podSandboxId : answer?.containerId) ?? '';
      if (id !== '' && !/^[0-9a-f]{64}$/.test(id))
        findings.add('INV-14.ids', method, `${method} answers the id "${id}", not 64 hex digits`, [
          replyLine,
        ]);
      keep(key, { state: 'held', id, ...ended });
      return;
    }
    if (isOpenEnded) return keep(key, { state: 'cancelled', id: '', ...ended });
    const owner = before?.state === 'held' ? objects.byId.get(before.id) : undefined;
    const isHeld = owner !== undefined && isThere(owner, callLine) && objects.isStill(owner, callLine);
    if (isHeld && !GOOD_CODE.test(reply.code))
      findings.add(
        'INV-11.name-taken',
        key,
        `${method} of ${text}, whose name is in use, answers ${reply.code}`,
        [before?.line ?? 0, replyLine],
      );
    if (!isTaken({ code: reply.code, details: reply.details ?? '' })) {
      // If the sandbox was created on the tape, nothing else can have the name.
      if (before === undefined || before.state === 'failed') keep(key, { state: 'failed', id: '', ...ended });
      return;
    }
    if (before !== undefined && before.line <= callLine && (sandbox === undefined || sandbox.madeAt > 0))
      refusals.judge(exchange, asked, before, owner);
  };

  return {
    answered: (exchange) => {
      judgePrefix(exchange, objects, findings);
      creation(exchange);
      refusals.listed(exchange);
    },
    forget: () => {
      names.clear();
      refusals.clear();
    },
  };
}

/** Creations refused because their name is in use. */
function checkRefusals(findings: Findings) {
  const refused = new Map<string, Reservation>();

  /** Judges a refused creation by the state of the earlier one. */
  const judge = (
    { reply, callLine, replyLine }: AnsweredCall,
    { key, text, sandbox }: AskedName,
    before: Reservation,
    owner: TrackedObject | undefined,
  ) => {
    if (owner?.presence === 'gone' && owner.presenceLine < callLine)
      findings.add('INV-13.reuse', key, `${text} is refused, although its last owner was removed`, [
        owner.presenceLine,
        replyLine,
      ]);
    if (before.state === 'failed' && sandbox !== undefined)
      findings.add(
        'INV-13.failed-create',
        key,
        `${text} is refused, although the creation before has failed`,
        [before.line, replyLine],
      );
    if (before.state === 'cancelled' && reply.t - before.t > UNDONE) {
      before.refused ??= { line: replyLine, t: reply.t };
      refused.set(key, before);
    }
  };

  /** A container that does not exist must not keep its name. */
  const listed = ({ method, call, reply, callLine, replyLine, isOk }: AnsweredCall) => {
    if (method !== 'ListContainers' || !isOk || reply.message === undefined) return;
    const {
      id,
      state,
      podSandboxId = '',
      labelSelector = {},
    } = call.message.value<ListContainersRequest>().filter ?? {};
    if (id || state !== undefined || Object.keys(labelSelector).length > 0) return;
    const { containers } = reply.message.value<ListContainersResponse>();
    for (const [key, { line, refused: refusal }] of refused) {
      if (refusal === undefined || refusal.line > callLine) continue;
      const [, sandboxId = '', name = ''] = key.split('\n');
      if (!sandboxId.startsWith(podSandboxId)) continue;
      if (containers.some((each) => each.podSandboxId === sandboxId && containerName(each.metadata) === name))
        continue;
      findings.add(
        'INV-17.CreateContainer',
        key,
        `${name} is refused after its creation was cancelled, and there is no such container`,
        [line, refusal.line, replyLine],
      );
    }
  };

  return {
    judge,
    listed,
    forget: (key: string) => refused.delete(key),
    clear: () => refused.clear(),
  };
}

const isThere = ({ presence, presenceLine }: TrackedObject, line: number): boolean =>
  presence === 'present' && presenceLine < line;

type AskedName = NonNullable<ReturnType<typeof nameOf>>;

/** The requested name, as text and as key. `sandbox` is that of a container. */
function nameOf({ method, call }: AnsweredCall, objects: Objects) {
  if (method === 'RunPodSandbox') {
    const { config } = call.message.value<RunPodSandboxRequest>();
    const text = sandboxName(config?.metadata);
    return { key: `sandbox\n\n${text}`, text, sandbox: undefined };
  }
  if (method !== 'CreateContainer') return undefined;
  const { config, podSandboxId } = call.message.value<CreateContainerRequest>();
  const sandbox = objects.find(podSandboxId);
  const text = containerName(config?.metadata);
  return sandbox && { key: `container\n${sandbox.id}\n${text}`, text, sandbox };
}

/** A prefix finds the only object with such an id, and nothing if there are several (INV-14). */
function judgePrefix(exchange: AnsweredCall, objects: Objects, findings: Findings): void {
  const { method, call, reply, callLine, replyLine, isOk } = exchange;
  const { podSandboxId, containerId } = call.message.value<{ podSandboxId?: string; containerId?: string }>();
  const prefix = containerId ?? podSandboxId ?? '';
  if (prefix === '' || prefix.length >= 64 || /^(Stop|Remove|List)/.test(method)) return;
  const kind = containerId === undefined ? 'sandbox' : 'container';
  const found = [...objects.live].filter(
    (each) => each.kind === kind && each.id.startsWith(prefix) && isThere(each, callLine),
  );
  const isStill = found.every((each) => objects.isStill(each, callLine));
  if (!isStill || found.length === 0) return;
  if (found.length > 1 && isOk)
    findings.add(
      'INV-14.ambiguous',
      prefix,
      `${method} of ${prefix} is OK, with which ${found.length} ids begin`,
      [callLine, replyLine],
    );
  if (found.length === 1 && prefix.length >= LONG_PREFIX && reply.code === 'NOT_FOUND')
    findings.add('INV-14.ids', prefix, `${method} does not find ${found[0]?.name} by the prefix ${prefix}`, [
      callLine,
      replyLine,
    ]);
}
