import { status as Code } from '@grpc/grpc-js';

/** How a call has ended, by the trailers or by what stands for them. */
export interface WireStatus {
  /** gRPC status code. */
  readonly code: number;
  readonly details: string;
}

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

/** What a call that the server reset ends with, as Go's gRPC says it. */
export function statusOfReset(http2Code: number): WireStatus {
  const [code, name] = RESETS[http2Code] ?? [Code.UNKNOWN, String(http2Code)];
  return { code, details: `stream terminated by RST_STREAM with error code: ${name}` };
}

/** What a call ends with when its connection breaks under it, as Go's gRPC says it. */
export const statusOfBreak = (reason: string): WireStatus => ({
  code: Code.UNAVAILABLE,
  details: `error reading from server: ${reason}`,
});

/** What a call ends with when there is no connection to be had, as Go's gRPC says it. */
export const statusOfDial = (reason: string): WireStatus => ({
  code: Code.UNAVAILABLE,
  details: `connection error: desc = "transport: Error while dialing: ${reason}"`,
});

/** What calls end with that are under way, or come, when their channel is closed. */
export const CLOSING: WireStatus = {
  code: Code.CANCELLED,
  details: 'grpc: the client connection is closing',
};

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

/** What a reply that is none of gRPC's ends with; undefined for HTTP status 200. */
export function statusOfHttp(http: string | undefined): WireStatus | undefined {
  if (http === '200') return undefined;
  return {
    code: HTTP[http ?? ''] ?? Code.UNKNOWN,
    details: `unexpected HTTP status code received from server: ${http ?? 'none'}`,
  };
}

/** The status in trailers; undefined without one. */
export function statusOfTrailers(fields: ReadonlyMap<string, string>): WireStatus | undefined {
  const code = fields.get('grpc-status');
  if (code === undefined) return undefined;
  return { code: Number(code), details: unescapePercent(fields.get('grpc-message') ?? '') };
}

/** gRPC's percent-encoding of UTF-8; what is no encoding stays as it is. */
function unescapePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
