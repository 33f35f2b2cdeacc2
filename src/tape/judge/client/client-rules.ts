import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { CreateContainerRequest, RunPodSandboxRequest } from '../../../cri/gen/runtime/v1/api.js';
import type { CodeName } from '../../../cri/status-code.js';
import type { AnyRequest } from '../../../cri/subject.js';
import type { Lifecycle } from '../../world/lifecycles.js';
import { containerName, sandboxName, type stateNames } from '../../world/shown.js';
import type { RefereeRuleId } from './rules.js';

/** Knowledge about a sandbox or container at the time of a call. Lines are those of a tape; 0 without one. */
export interface KnownObject extends Omit<Lifecycle, 'state' | 'sandboxId'> {
  /** Undefined if uncertain. */
  readonly state: (typeof stateNames)[keyof typeof stateNames][number] | undefined;
  /** Whether no other call may be changing it. */
  readonly isSettled: boolean;
}

export interface ClientCall {
  readonly method: string;
  readonly request: AnyRequest;
  /** Line of a tape; 0 without one. */
  readonly line: number;
}

export interface ClientAnswer {
  readonly code: CodeName;
  readonly details: string;
  /** Line of a tape; 0 without one. */
  readonly line: number;
}

export interface ClientBreach {
  readonly rule: RefereeRuleId;
  readonly id: string;
  /** A phrase that follows the rule's title. */
  readonly detail: string;
  readonly lines: readonly number[];
}

/** Rules that depend on the caller's knowledge of objects. */
export interface ClientRules {
  /** Checks a new call; `object` is its subject. */
  called(call: ClientCall, object: KnownObject | undefined): ClientBreach | undefined;
  answered(call: ClientCall, answer: ClientAnswer, object: KnownObject | undefined): void;
  forget(): void;
}

/** Calls whose failure the client must not ignore. */
const MUST_SUCCEED = /^(StartContainer|Stop(Container|PodSandbox))$/;

type Rule = (object: KnownObject, call: ClientCall, failures: Failures) => ClientBreach | undefined;

const rules: Readonly<Record<string, Rule>> = {
  StartContainer: (object, { line }) =>
    object.state === 'running' || object.state === 'exited'
      ? breach('REF-01', object, `${object.name} is ${object.state.toUpperCase()}`, [object.stateAt, line])
      : undefined,
  CreateContainer: (object, { request, line }) => {
    if (!object.isSettled) return undefined;
    if (object.state === 'notready') return breach('REF-02', object, object.name, [object.stateAt, line]);
    const given = (request as CreateContainerRequest).sandboxConfig?.metadata;
    if (given === undefined || sandboxName(given) === object.name) return undefined;
    const detail = `the sandbox is ${object.name}, sandbox_config says ${sandboxName(given)}`;
    return breach('REF-08', object, detail, [object.madeAt, line]);
  },
  RemoveContainer: (object, call, failures) =>
    object.isSettled && object.state === 'running'
      ? (failures.ignored('StopContainer', object, call) ??
        breach('REF-05', object, `${object.name} runs`, [object.stateAt, call.line]))
      : undefined,
  RemovePodSandbox: (object, call, failures) => {
    if (!object.isSettled) return undefined;
    const ignored = failures.ignored('StopPodSandbox', object, call);
    if (ignored !== undefined || object.state !== 'ready') return ignored;
    return breach('REF-06', object, object.name, [object.madeAt, call.line]);
  },
  ExecSync: (object, call, failures) => failures.ignored('StartContainer', object, call),
  Exec: (object, call, failures) => failures.ignored('StartContainer', object, call),
  Attach: (object, call, failures) => failures.ignored('StartContainer', object, call),
};

/** Rules for the client of one conversation, from its first call on. */
export function createClientRules(): ClientRules {
  const failures = new Failures();
  return {
    called: (call, object) => object && rules[call.method]?.(object, call, failures),
    answered: ({ method }, { code, line }, object) => {
      if (object !== undefined && MUST_SUCCEED.test(method))
        failures.set(method, object.id, code === 'OK' ? undefined : line);
    },
    forget: () => failures.clear(),
  };
}

/** A name that a reply refuses as in use, with its kind and sandbox. */
export interface RefusedName {
  readonly kind: KnownObject['kind'];
  readonly name: string;
  readonly sandboxId: string;
}

/**
 * The refused name of a creation; undefined for any other reply. The client is to blame only if an object had the name
 * when the call came: a runtime may still be busy with a cancelled creation.
 */
export function refusedName({ method, request }: ClientCall, answer: ClientAnswer): RefusedName | undefined {
  if ((method !== 'RunPodSandbox' && method !== 'CreateContainer') || !isTaken(answer)) return undefined;
  const { metadata } = (request as RunPodSandboxRequest).config ?? {};
  if (metadata === undefined) return undefined;
  return method === 'RunPodSandbox'
    ? { kind: 'sandbox', name: sandboxName(metadata), sandboxId: '' }
    : { kind: 'container', name: containerName(metadata), sandboxId: request.podSandboxId ?? '' };
}

/** Breach: requests the name of an existing object. */
export const usesName = (owner: KnownObject, { line }: ClientAnswer): ClientBreach =>
  breach(owner.kind === 'sandbox' ? 'REF-03' : 'REF-04', owner, owner.name, [owner.madeAt, line]);

/** Whether a creation was refused because its name is in use; containerd and CRI-O use other codes, too. */
export const isTaken = ({ code, details }: Pick<ClientAnswer, 'code' | 'details'>): boolean =>
  code === 'ALREADY_EXISTS' || /is reserved for|already reserved/.test(details);

const breach = (
  rule: RefereeRuleId,
  { id }: KnownObject,
  detail: string,
  lines: readonly number[],
): ClientBreach => ({ rule, id, detail, lines });

/** Failed calls that were not repeated successfully, with the lines of their replies. */
class Failures {
  readonly #lines = new Map<string, number>();

  /** `line` is undefined after a success. */
  set(method: string, id: string, line: number | undefined): void {
    const key = `${method} ${id}`;
    this.#lines.delete(key);
    if (line !== undefined) this.#lines.set(key, line);
    forgetOldest(this.#lines);
  }

  ignored(method: string, object: KnownObject, call: ClientCall): ClientBreach | undefined {
    const line = this.#lines.get(`${method} ${object.id}`);
    if (line === undefined) return undefined;
    return breach('REF-07', object, `${method} of ${object.name} failed and was not repeated`, [
      line,
      call.line,
    ]);
  }

  clear(): void {
    this.#lines.clear();
  }
}
