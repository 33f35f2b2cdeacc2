import { resolve } from 'node:path';
import {
  formatSocketAddress,
  parseSocketAddress,
  portHint,
  type SocketAddress,
} from '../../base/input/socket-address.js';
import { invalid } from '../../cri/errors.js';

export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | ({ readonly kind: 'tcp' } & SocketAddress);

/** sockaddr_un.sun_path with its closing zero byte has 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = process.platform === 'darwin' ? 103 : 107;

const FORMS =
  'unix:///run/mockri.sock, a path such as ./mockri.sock, or tcp://127.0.0.1:10350 (port 0: any free one)';

/** Reads an endpoint as kubelet and crictl write it. Throws INVALID for anything else. */
export function parseEndpoint(text: string): Endpoint {
  if (text.startsWith('tcp://')) return parseTcp(text);
  const path = text.startsWith('unix:') ? text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '') : text;
  // A bare word is probably not meant as a path, and "unix://name" is not gRPC's form of a relative path ("unix:name").
  const isPath = path.includes('/') && !path.startsWith('//');
  if (!(isPath || /^unix:[^/]/.test(text)) || /^\w+:\//.test(text.replace(/^unix:(\/\/)?/, '')))
    throw invalid(`${JSON.stringify(text)} is not an endpoint; write ${FORMS}`);
  const absolute = resolve(path);
  if (Buffer.byteLength(absolute) > LONGEST_PATH)
    throw invalid(
      `the socket path ${absolute} has ${Buffer.byteLength(absolute)} bytes; the system allows ${LONGEST_PATH}: choose a shorter directory`,
    );
  return { kind: 'unix', path: absolute };
}

function parseTcp(text: string): Endpoint {
  const address = parseSocketAddress(text.slice('tcp://'.length));
  if (address === undefined)
    throw invalid(`${JSON.stringify(text)} is not an endpoint; write ${FORMS}${portHint(text)}`);
  return { kind: 'tcp', ...address };
}

export function formatEndpoint(endpoint: Endpoint): string {
  return endpoint.kind === 'unix' ? `unix://${endpoint.path}` : `tcp://${formatSocketAddress(endpoint)}`;
}
