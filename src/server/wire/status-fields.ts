import type { Metadata } from '@grpc/grpc-js';
import type { CallStatus } from '../status.js';

/** A status and what goes with it as trailers. */
export function statusFields({ code, details }: CallStatus, trailers?: Metadata): [string, string][] {
  const fields: [string, string][] = [['grpc-status', String(code)]];
  if (details !== '') fields.push(['grpc-message', escapePercent(details)]);
  for (const [name, values] of Object.entries(trailers?.toHttp2Headers() ?? {}))
    for (const value of [values].flat()) fields.push([name, String(value)]);
  return fields;
}

/** gRPC's percent-encoding of UTF-8; spaces at the ends too, which no HTTP/2 field may have there. */
const escapePercent = (text: string): string =>
  text.replace(/[^ -$&-~]|^ | $/gu, (character) =>
    character === ' ' ? '%20' : encodeURIComponent(character),
  );
