import {
  type CertificateSource,
  type OpenKubeletServer,
  type OpenOptions,
  openKubeletServer,
} from '../../../cluster/kubelet-server/open.js';
import { CriError } from '../../../cri/errors.js';
import { readCertificate } from '../../options/certificate.js';
import type { NodeList } from './node-list.js';
import type { NodeFlags } from './settings.js';

export interface ServedNodes {
  readonly server: OpenKubeletServer;
  readonly nodes: NodeList;
}

/** Opens the nodes' ports. Throws CriError for contradictory options, and for a port in use. */
export async function serveNodes(
  flags: NodeFlags,
  nodes: NodeList,
  parts: Pick<OpenOptions, 'account' | 'identities' | 'signer' | 'clock' | 'log'>,
): Promise<ServedNodes> {
  const certificate = certificateOf(flags);
  const server = openKubeletServer({
    ...parts,
    host: flags['kubelet-address'],
    addresses: [...new Set(nodes.map(({ settings }) => settings.ip))],
    nodeName: nodes[0]?.name ?? '',
    certificate,
    anonymous: flags['kubelet-anonymous'],
  });
  const first = flags['kubelet-port'];
  const listen = (port: number) =>
    server.listen(port).catch(async ({ code }: NodeJS.ErrnoException) => {
      await server.close();
      throw new CriError('unavailable', `--kubelet-port: cannot listen on port ${port} (${code})`);
    });
  const shared = flags['kubelet-shared-port'] ? await listen(first) : undefined;
  const served: NodeList[number][] = [];
  for (const [index, { name, settings }] of nodes.entries()) {
    const port = shared ?? (await listen(first === 0 ? 0 : first + index));
    served.push({ name, settings: { ...settings, port } });
  }
  return { server, nodes: served };
}

function certificateOf(flags: NodeFlags): CertificateSource {
  const { 'kubelet-tls-cert': cert, 'kubelet-tls-key': key, 'kubelet-certificate': kind } = flags;
  const given = readCertificate('--kubelet', cert, key);
  return given === undefined ? { kind } : { kind: 'given', ...given };
}
