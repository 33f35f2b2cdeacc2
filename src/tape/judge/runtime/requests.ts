import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type {
  CreateContainerRequest,
  RunPodSandboxRequest,
  UpdateRuntimeConfigRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../../cri/subject.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

const ABOUT_ONE =
  /^((Start|Stop|Remove)Container|(Stop|Remove)PodSandbox|CreateContainer|(Container|PodSandbox)(Status|Stats)|ExecSync|Exec|Attach|PortForward|UpdateContainerResources|ReopenContainerLog|CheckpointContainer|CheckpointPod)$/;
/** RPCs that return NOT_FOUND only for the object in their request. */
const LOOKS_UP = /^((Container|PodSandbox)(Status|Stats)|StartContainer|UpdateContainerResources)$/;
/** Replies of calls that check something else before they look up the object. */
const OTHER_CHECKS = /^Checkpoint\w+ (?!OK$)| (INVALID_ARGUMENT|UNIMPLEMENTED)$/;
const OTHER_REASON = /^(NOT_FOUND|ALREADY_EXISTS|RESOURCE_EXHAUSTED|UNIMPLEMENTED|PERMISSION_DENIED)$/;
const lists: Readonly<Record<string, string>> = {
  ListContainers: 'INV-19.containers',
  ListPodSandbox: 'INV-19.sandboxes',
  ListImages: 'INV-19.images',
  ListContainerStats: 'INV-48.filter',
};

/** Checks requests that must fail (INV-09 to INV-11, INV-52). */
export function watchRequests(objects: Objects, findings: Findings): Watcher {
  const absent = checkAbsent(objects, findings);

  const emptyId = ({ method, call, replyLine, isOk }: AnsweredCall) => {
    if (!isOk || !ABOUT_ONE.test(method)) return;
    const { containerId, podSandboxId } = call.message.value<AnyRequest>();
    if ((containerId ?? podSandboxId) === '')
      findings.add('INV-10.empty-id', method, `${method} without an id is OK`, [replyLine]);
  };

  const malformed = (exchange: AnsweredCall) => {
    const { method, call, reply, callLine, replyLine, isOk, isOpenEnded } = exchange;
    const problem = problemOf(exchange);
    if (problem === undefined || isOpenEnded) return;
    const sandbox = objects.find(call.message.value<AnyRequest>().podSandboxId);
    if (method === 'CreateContainer' && (sandbox?.presence !== 'present' || sandbox.least === 2)) return;
    const text = `${method} ${problem} answers ${reply.code}`;
    if (isOk && problem === GROUP_ONLY)
      findings.add('INV-11.group-without-user', method, text, [callLine, replyLine]);
    else if (isOk || (reply.code !== 'INVALID_ARGUMENT' && !OTHER_REASON.test(reply.code)))
      findings.add('INV-11.invalid', `${method} ${problem}`, text, [callLine, replyLine]);
  };

  /** A call that the state does not allow fails with the right code. */
  const wrongState = (exchange: AnsweredCall) => {
    const { method, call, reply, callLine, replyLine, isOk, isOpenEnded } = exchange;
    if (isOk || isOpenEnded || reply.code === 'FAILED_PRECONDITION' || OTHER_REASON.test(reply.code)) return;
    if (problemOf(exchange) !== undefined) return;
    const { containerId, podSandboxId, cmd } = call.message.value<AnyRequest>();
    const object = objects.find(containerId ?? podSandboxId);
    if (object?.presence !== 'present' || object.presenceLine > callLine) return;
    if (!objects.wasAlone(object, exchange) || object.leastLine > callLine) return;
    const isNeverStarted = object.madeAt > 0 && !object.startTried;
    const forbids =
      (method === 'StartContainer' && object.least > 0) ||
      (/^(Exec(Sync)?|Attach)$/.test(method) &&
        cmd?.length !== 0 &&
        (object.least === 2 || isNeverStarted)) ||
      (/^(CreateContainer|PortForward)$/.test(method) && object.least === 2);
    if (forbids)
      findings.add(
        'INV-11.wrong-state',
        object.id,
        `${method} fails in a state that does not allow it, with ${reply.code}: ${reply.details ?? ''}`,
        [object.leastLine, callLine, replyLine],
      );
  };

  const others = ({ method, call, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall) => {
    if (isOk || isOpenEnded) return;
    if (method === 'RemoveImage' && reply.code === 'NOT_FOUND')
      findings.add('INV-08.unknown', method, 'RemoveImage of an absent image returns NOT_FOUND', [
        callLine,
        replyLine,
      ]);
    const list = lists[method];
    if (list !== undefined && reply.code === 'NOT_FOUND')
      findings.add(list, method, `${method} answers NOT_FOUND for a filter that nothing fits`, [replyLine]);
    if (method !== 'UpdateRuntimeConfig' || reply.code === 'UNIMPLEMENTED') return;
    const { runtimeConfig } = call.message.value<UpdateRuntimeConfigRequest>();
    if (!runtimeConfig?.networkConfig?.podCidr)
      findings.add(
        'INV-52.empty-config',
        method,
        `UpdateRuntimeConfig without a change answers ${reply.code}`,
        [callLine, replyLine],
      );
  };

  return {
    answered: (exchange) => {
      for (const look of [emptyId, malformed, wrongState, absent.answered, others]) look(exchange);
    },
    forget: absent.forget,
  };
}

function checkAbsent(objects: Objects, findings: Findings) {
  /** Ids that a call did not find, with its line. */
  const absent = new Map<string, number>();

  const answered = ({ method, call, reply, callLine, replyLine, isOpenEnded }: AnsweredCall) => {
    if (isOpenEnded || !ABOUT_ONE.test(method)) return;
    const { containerId, podSandboxId } = call.message.value<AnyRequest>();
    const id = containerId ?? podSandboxId ?? '';
    // Hex digits may be the beginning of an id.
    if (/^[0-9a-f]{0,63}$/.test(id) || objects.byId.has(id) || /^(Stop|Remove)/.test(method)) return;
    const key = `${containerId === undefined ? 'sandbox' : 'container'} ${id}`;
    const rule = method === 'UpdateContainerResources' ? 'INV-23.update-unknown' : 'INV-09.not-found';
    const before = absent.get(key);
    if (reply.code === 'NOT_FOUND') {
      if (!LOOKS_UP.test(method)) return;
      absent.set(key, replyLine);
      forgetOldest(absent);
    } else if (before !== undefined && before < callLine && !OTHER_CHECKS.test(`${method} ${reply.code}`))
      findings.add(rule, key, `${method} of the ${key}, which does not exist, returns ${reply.code}`, [
        before,
        replyLine,
      ]);
    else if (LOOKS_UP.test(method) && /^(UNKNOWN|INTERNAL|INVALID_ARGUMENT)$/.test(reply.code)) {
      const saysSo = before !== undefined || /not found|does not exist|no such/i.test(reply.details ?? '');
      if (saysSo)
        findings.add(rule, key, `${method} does not find the ${key}, with ${reply.code}`, [
          before ?? 0,
          callLine,
          replyLine,
        ]);
    }
  };

  return { answered, forget: () => absent.clear() };
}

const GROUP_ONLY = 'with run_as_group without a user';

type Problem = 'without a config' | 'without metadata' | typeof GROUP_ONLY;

function problemOf({ method, call }: AnsweredCall): Problem | undefined {
  if (method !== 'RunPodSandbox' && method !== 'CreateContainer') return undefined;
  const { config } = call.message.value<RunPodSandboxRequest | CreateContainerRequest>();
  if (config === undefined) return 'without a config';
  if (config.metadata === undefined) return 'without metadata';
  if (method === 'RunPodSandbox') return undefined;
  const security = (config as CreateContainerRequest['config'])?.linux?.securityContext;
  const isGroupOnly = security?.runAsGroup && !security.runAsUser && !security.runAsUsername;
  return isGroupOnly ? GROUP_ONLY : undefined;
}
