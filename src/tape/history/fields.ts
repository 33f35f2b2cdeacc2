import { fitsParts } from '../../base/input/glob.js';
import type { AnyRequest } from '../../cri/subject.js';

export type Fields = Readonly<Record<string, string>>;

/**
 * Fields that identify what a call is about, apart from its method. Calls with equal fields form one sequence. Existing
 * objects are identified by id, objects that the call creates by name.
 */
export function fieldsOf(method: string, given: object): Fields {
  const request = given as AnyRequest;
  const { podSandboxId, containerId, image, cmd, config } = request;
  const { metadata } = config ?? {};
  if (method === 'RunPodSandbox' || method === 'RestorePod')
    return {
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      attempt: String(metadata?.attempt ?? 0),
    };
  if (method === 'CreateContainer')
    return {
      sandbox: podSandboxId ?? '',
      name: metadata?.name ?? '',
      attempt: String(metadata?.attempt ?? 0),
    };
  if (method === 'ExecSync') return { container: containerId ?? '', command: JSON.stringify(cmd) };
  if (image !== undefined) return { image: image.image };
  if (containerId) return { container: containerId };
  return podSandboxId ? { sandbox: podSandboxId } : {};
}

export const sequenceOf = (method: string, fields: Fields): string =>
  `${method} ${Object.values(fields).join(' ')}`;

const REDACTED = /redacted:[0-9a-f]{16}/g;

/** Compares a text with the tape's, in which redacted parts match anything. */
export function isSameText(recorded: string, given: string): boolean {
  if (recorded === given) return true;
  if (!recorded.includes('redacted:')) return false;
  return fitsParts(recorded.split(REDACTED), given);
}
