import { fitsParts } from '../../base/input/glob.js';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly attempt: number;
}

/** The fields by which requests say what they are about, over all RPCs. */
export interface AnyRequest {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly image?: { readonly image: string } | undefined;
  readonly cmd?: readonly string[];
  readonly config?: { readonly metadata?: Metadata | undefined } | undefined;
}

/** What a call is about, in words: field and value. */
export type Fields = Readonly<Record<string, string>>;

/**
 * What a call is about, apart from its method: two calls with the same fields are the first and the second of one
 * sequence. Objects that exist are known by their ids, those that a call makes by their names.
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

/** The sequence that a call belongs to. */
export const sequenceOf = (method: string, fields: Fields): string =>
  `${method} ${Object.values(fields).join(' ')}`;

/** A keyed hash that replaces what was redacted. */
const REDACTED = /redacted:[0-9a-f]{16}/g;

/** Whether a text is that of the tape, where what is redacted there can be anything. */
export function isSameText(recorded: string, given: string): boolean {
  if (recorded === given) return true;
  if (!recorded.includes('redacted:')) return false;
  return fitsParts(recorded.split(REDACTED), given);
}
