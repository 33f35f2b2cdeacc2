import { rpcName } from '../../cri/messages.js';
import type { CriMethodName } from '../../cri/service.js';
import { criMethods } from '../../cri/service.js';
import { didYouMean } from '../../input/suggest.js';

/** The name of an RPC as users know it: `StartContainer`. */
export type RpcName = Capitalize<CriMethodName>;

/** An RPC by the name that users know: `StartContainer`. */
export interface MethodFacts {
  readonly key: CriMethodName;
  readonly name: string;
  readonly stream: boolean;
}

/** All RPCs of both services, in the order of api.proto. */
export const methodFacts: readonly MethodFacts[] = Object.entries(criMethods).map(([key, method]) => ({
  key: key as CriMethodName,
  name: rpcName(method.path),
  stream: method.responseStream,
}));

/** Why a name is none of an RPC, with the nearest one; undefined for one that is. */
export function methodProblem(name: string): string | undefined {
  const known = methodFacts.map((method) => method.name);
  if (known.includes(name)) return undefined;
  return `unknown RPC${didYouMean(name, known) || '; expected a name such as StartContainer'}`;
}

/** `StartContainer, StopContainer`, for messages. */
export const namesOf = (methods: readonly MethodFacts[]): string =>
  methods.map(({ name }) => name).join(', ');

const imageService = new Set(
  Object.values(criMethods)
    .filter((method) => method.path.includes('ImageService'))
    .map((method) => rpcName(method.path)),
);

const names = methodFacts.map((method) => method.name);
const READING = /^(Version|Status|RuntimeConfig|ImageFsInfo|List|Stream|GetContainerEvents)|(Status|Stats)$/;
const STREAMING = /^(Exec|ExecSync|Attach|PortForward)$/;

/** Named sets of RPCs that a rule can match. */
export const methodGroups: Readonly<Record<string, readonly string[]>> = {
  '@all': names,
  '@list': names.filter((name) => /^(List|Stream)/.test(name)),
  '@mutating': names.filter((name) => !READING.test(name) && !STREAMING.test(name)),
  '@stream': methodFacts.filter((method) => method.stream).map((method) => method.name),
  '@image': names.filter((name) => imageService.has(name)),
};
