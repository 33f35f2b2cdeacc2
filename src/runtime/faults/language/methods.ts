import { didYouMean } from '../../../base/input/suggest.js';
import { allMethods, type CriMethod } from '../../../cri/methods.js';
import type { CriMethodName } from '../../../cri/service.js';

/** The name of an RPC as users know it: `StartContainer`. */
export type RpcName = Capitalize<CriMethodName>;

/** Explains why a name is not an RPC's, and suggests the nearest one; undefined for an RPC's name. */
export function methodProblem(name: string): string | undefined {
  const known = allMethods.map((method) => method.name);
  if (known.includes(name)) return undefined;
  return `unknown RPC${didYouMean(name, known) || '; expected a name such as StartContainer'}`;
}

/** `StartContainer, StopContainer`, for messages. */
export const namesOf = (methods: readonly Pick<CriMethod, 'name'>[]): string =>
  methods.map(({ name }) => name).join(', ');

const names = allMethods.map((method) => method.name);
const READING = /^(Version|Status|RuntimeConfig|ImageFsInfo|List|Stream|GetContainerEvents)|(Status|Stats)$/;
const STREAMING = /^(Exec|ExecSync|Attach|PortForward)$/;
/** The RPCs that lead to a session of the streaming server. */
export const SESSIONS: readonly string[] = ['Exec', 'Attach', 'PortForward'];

export const methodGroups: Readonly<Record<string, readonly string[]>> = {
  '@all': names,
  '@list': names.filter((name) => /^(List|Stream)/.test(name)),
  '@mutating': names.filter((name) => !READING.test(name) && !STREAMING.test(name)),
  '@stream': allMethods.filter((method) => method.stream).map((method) => method.name),
  '@image': allMethods.filter(({ path }) => path.includes('ImageService')).map(({ name }) => name),
};
