import { LARGEST_MESSAGE } from '../limits.js';
import type { CallStatus } from '../status-code.js';
import { Code } from '../status-code.js';

/** gRPC code and name by HTTP/2 error code (grpc-go http2ErrConvTab, RFC 9113 7). */
const RESETS: readonly (readonly [code: number, name: string])[] = [
  [Code.INTERNAL, 'NO_ERROR'],
  [Code.INTERNAL, 'PROTOCOL_ERROR'],
  [Code.INTERNAL, 'INTERNAL_ERROR'],
  [Code.RESOURCE_EXHAUSTED, 'FLOW_CONTROL_ERROR'],
  [Code.INTERNAL, 'SETTINGS_TIMEOUT'],
  [Code.INTERNAL, 'STREAM_CLOSED'],
  [Code.INTERNAL, 'FRAME_SIZE_ERROR'],
  [Code.UNAVAILABLE, 'REFUSED_STREAM'],
  [Code.CANCELLED, 'CANCEL'],
  [Code.INTERNAL, 'COMPRESSION_ERROR'],
  [Code.INTERNAL, 'CONNECT_ERROR'],
  [Code.RESOURCE_EXHAUSTED, 'ENHANCE_YOUR_CALM'],
  [Code.PERMISSION_DENIED, 'INADEQUATE_SECURITY'],
  [Code.INTERNAL, 'HTTP_1_1_REQUIRED'],
];

/** HTTP/2's error code for a stream that is no longer needed. */
const CANCEL = 8;

/** The status of Go's gRPC for a call that the server reset. */
export function statusOfReset(http2Code: number): CallStatus {
  const [code, name] = RESETS[http2Code] ?? [Code.UNKNOWN, String(http2Code)];
  return { code, details: `stream terminated by RST_STREAM with error code: ${name}` };
}

/** The status of Go's gRPC when a call's connection breaks. */
export const statusOfBreak = (reason: string): CallStatus => ({
  code: Code.UNAVAILABLE,
  details: `error reading from server: ${reason}`,
});

/** The status of Go's gRPC for a failed connection. */
export const statusOfDial = (reason: string): CallStatus => ({
  code: Code.UNAVAILABLE,
  details: `connection error: desc = "transport: Error while dialing: ${reason}"`,
  unreached: true,
});

export const CLOSING: CallStatus = {
  code: Code.CANCELLED,
  details: 'grpc: the client connection is closing',
};

/** The status of Go's gRPC after the deadline. */
export const LATE: CallStatus = { code: Code.DEADLINE_EXCEEDED, details: 'context deadline exceeded' };

/** The status of Go's gRPC when the server ends a call without a status. */
export const NO_TRAILERS: CallStatus = {
  code: Code.INTERNAL,
  details: 'server closed the stream without sending trailers',
};

/** Whether the end of the server or the connection may have ended a call: closing servers send CANCEL, or nothing. */
export const isCutOff = (code: string, details: string): boolean =>
  code === 'UNAVAILABLE' || details === NO_TRAILERS.details || details === statusOfReset(CANCEL).details;

/** The status of Go's gRPC when a unary call succeeds without a reply. */
export const NO_REPLY: CallStatus = {
  code: Code.INTERNAL,
  details: 'cardinality violation: received no response message from non-server-streaming RPC',
};

/** The error for a reply of more than 16 MiB; `size` in bytes. */
export const tooLarge = (size: number): string =>
  `Received message larger than max (${size} vs ${LARGEST_MESSAGE})`;

/** By HTTP status (gRPC's doc/http-grpc-status-mapping.md); others are UNKNOWN. */
const HTTP: Readonly<Record<string, number>> = {
  400: Code.INTERNAL,
  401: Code.UNAUTHENTICATED,
  403: Code.PERMISSION_DENIED,
  404: Code.UNIMPLEMENTED,
  429: Code.UNAVAILABLE,
  502: Code.UNAVAILABLE,
  503: Code.UNAVAILABLE,
  504: Code.UNAVAILABLE,
};

/** The status of Go's gRPC for a reply that is not gRPC. */
export const statusOfHttp = (http: number | string): CallStatus =>
  Number(http) === 200
    ? NO_TRAILERS
    : {
        code: HTTP[http] ?? Code.UNKNOWN,
        details: `unexpected HTTP status code received from server: ${http}`,
      };

/** The texts of grpc-js for failures without a server's reply (subchannel-call.ts, load-balancer-pick-first.ts). */
const GRPC_JS: readonly (readonly [text: RegExp, status: (match: RegExpExecArray) => CallStatus])[] = [
  [
    /^No connection established(?:\. Last error: (.*)\. Resolution note:.*)?$/s,
    ([, e]) => statusOfDial(dialText(e)),
  ],
  [/^Connection dropped$/, () => statusOfBreak('EOF')],
  [/^(?:read|write) E[A-Z]+$/, ([text]) => statusOfBreak(text)],
  [/^Write error: (.*)$/s, ([, text = '']) => statusOfBreak(text)],
  [/^Received RST_STREAM with code 0 /, () => NO_TRAILERS],
  [/^Received RST_STREAM with code (\d+)/, ([, code]) => statusOfReset(Number(code))],
  [/^Stream refused by server$/, () => statusOfReset(7)],
  [/^Call cancelled$/, () => statusOfReset(8)],
  [/^Bandwidth exhausted or memory limit exceeded$/, () => statusOfReset(11)],
  [/^Protocol not secure enough$/, () => statusOfReset(12)],
  [/^Received HTTP status code (\d+)$/, ([, code = '']) => statusOfHttp(code)],
  [/^No status information received$/, () => NO_TRAILERS],
  [/^Deadline exceeded after /, () => LATE],
];

/** The message is compressed although the client announced no compression: grpc-js ends such a call without a code. */
const COMPRESSED: CallStatus = {
  code: Code.INTERNAL,
  details: 'a compressed message came, which was not asked for',
};

/** Translates grpc-js's own texts into those of Go's gRPC; returns other statuses unchanged. */
export function goStatus({ code, details }: Partial<CallStatus>): CallStatus {
  if (code === undefined || details === undefined) return COMPRESSED;
  if (code === Code.OK) return { code, details };
  for (const [text, status] of GRPC_JS) {
    const match = text.exec(details);
    if (match !== null) return status(match);
  }
  return { code, details };
}

/** `Error: connect ENOENT /run/cri.sock (2026-01-01T00:00:00.000Z)` in the words of Go's net package. */
function dialText(error = 'EOF'): string {
  const reason = error.replace(/^Error: /, '').replace(/ \(\d{4}-[-\d]+T[^)]*\)$/, '');
  const [, errno = '', address = ''] = /^connect (E[A-Z]+) (\S+)/.exec(reason) ?? [];
  const text = ERRNO[errno];
  if (text === undefined) return reason;
  return `dial ${address.startsWith('/') ? 'unix' : 'tcp'} ${address}: connect: ${text}`;
}

const ERRNO: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
};
