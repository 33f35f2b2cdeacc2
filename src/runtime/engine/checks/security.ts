import { CriError, invalid } from '../../../cri/errors.js';
import {
  type IDMapping,
  type Int64Value,
  NamespaceMode,
  type NamespaceOption,
  type RuntimeHandler,
} from '../../../cri/gen/runtime/v1/api.js';

export interface Identity {
  readonly runAsUser: Int64Value | undefined;
  readonly runAsGroup: Int64Value | undefined;
  readonly runAsUsername?: string;
}

/** cri-api SecurityContext: run_as_group needs a user. */
export function checkGroup({ runAsUser, runAsGroup, runAsUsername = '' }: Identity): void {
  if (runAsGroup !== undefined && runAsUser === undefined && runAsUsername === '')
    throw invalid(
      `run_as_group ${runAsGroup.value} is given without a user: set run_as_user or run_as_username`,
      { name: 'group-without-user', group: String(runAsGroup.value) },
    );
}

/** cri-api SecurityContext: a user is given by id or by name, not by both. */
export function checkUser({ runAsUser, runAsUsername = '' }: Identity): void {
  if (runAsUser !== undefined && runAsUsername !== '')
    throw invalid(`run_as_user ${runAsUser.value} and run_as_username "${runAsUsername}" exclude each other`);
}

/** cri-api NamespaceOption. */
export function checkNamespaces({ network, ipc, pid }: NamespaceOption): void {
  if (network !== NamespaceMode.POD && network !== NamespaceMode.NODE)
    throw invalid(`network namespace mode ${NamespaceMode[network]} is not allowed: use POD or NODE`);
  if (ipc !== NamespaceMode.POD && ipc !== NamespaceMode.NODE)
    throw invalid(`ipc namespace mode ${NamespaceMode[ipc]} is not allowed: use POD or NODE`);
  if (NamespaceMode[pid] === undefined || pid === NamespaceMode.UNRECOGNIZED)
    throw invalid(`pid namespace mode ${pid} is unknown: use POD, CONTAINER, NODE or TARGET`);
}

export function checkUserNamespace(
  { mode, uids, gids }: NonNullable<NamespaceOption['usernsOptions']>,
  handler: RuntimeHandler,
): void {
  if (mode === NamespaceMode.NODE) {
    if (uids.length + gids.length > 0) throw invalid('user namespace mode NODE takes no id mappings');
    return;
  }
  if (mode !== NamespaceMode.POD)
    throw invalid(`user namespace mode ${NamespaceMode[mode]} is not allowed: use POD or NODE`);
  checkMapping('uid', uids);
  checkMapping('gid', gids);
  if (handler.features?.userNamespaces !== true)
    throw new CriError(
      'wrong-state',
      `runtime handler "${handler.name}" does not support user namespaces: use mode NODE or another handler`,
    );
}

/** cri-api UserNamespace: exactly one mapping, which begins with the container's root. */
function checkMapping(kind: 'uid' | 'gid', mappings: readonly IDMapping[]): void {
  const [mapping] = mappings;
  if (mapping === undefined || mappings.length !== 1)
    throw invalid(`user namespace mode POD needs exactly one ${kind} mapping, got ${mappings.length}`, {
      name: 'id-mappings',
      kind,
      count: mappings.length,
    });
  if (mapping.containerId !== 0)
    throw invalid(`the ${kind} mapping must map container id 0, it begins with ${mapping.containerId}`);
  if (mapping.length === 0) throw invalid(`the ${kind} mapping has length 0`);
}
