/** gRPC's doc/statuscodes.md, by canonical name. */
export enum Code {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16,
}

export type CodeName = keyof typeof Code;

export const codeNames = Object.values(Code).filter((value) => typeof value === 'string') as [
  CodeName,
  ...CodeName[],
];

/** The name of a code; the number of an undefined one. */
export const codeName = (code: number): string => Code[code] ?? String(code);

export type FailureName = Exclude<CodeName, 'OK'>;

/** The failure that Go prints as `NotFound`, or as `5` before 2018; UNKNOWN for other texts. */
export function failureInGo(text: string): FailureName {
  const spelled = text === 'Canceled' ? 'CANCELLED' : text.replace(/(?!^)[A-Z]/g, '_$&').toUpperCase();
  const name = codeNames[Number(text)] ?? codeNames.find((each) => each === spelled) ?? 'UNKNOWN';
  return name === 'OK' ? 'UNKNOWN' : name;
}

/** Trailer of a call that could not be forwarded for lack of a connection. */
export const UNREACHED_KEY = 'x-mockri-unreached';

export interface CallStatus {
  readonly code: number;
  readonly details: string;
  /** The connection failed: the call did not reach the server. */
  readonly unreached?: true | undefined;
}
