import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../../base/certificates/keyed-certificate.js';
import type { Clock } from '../../../base/clock/clock.js';
import type { ConfigurationOptions } from '../kubelet-configuration.js';
import { inNamespaces, OWN_PLACE, placeOutside } from './namespaces.js';
import { programConfig } from './program-config.js';

export interface KubeletCommandParts extends Omit<ConfigurationOptions, 'endpoint'> {
  readonly clock: Clock;
  readonly program: string;
  /** Holds everything that it writes. The runtime listens at `runtimeSocket` of it. */
  readonly directory: string;
  readonly nodeName: string;
}

const SOCKET = 'cri.sock';

const ownFiles = (directory: string): string => placeOutside(directory, OWN_PLACE);

export function runtimeSocket(directory: string): string {
  const own = ownFiles(directory);
  mkdirSync(own, { recursive: true });
  return `unix://${join(own, SOCKET)}`;
}

export const manifestsOf = (directory: string): string => join(ownFiles(directory), 'manifests');

export function kubeletCommand(parts: KubeletCommandParts, kubeconfig: string): string[] {
  const { clock, program, directory, nodeName } = parts;
  const own = ownFiles(directory);
  for (const place of [manifestsOf(directory), join(own, 'volume-plugins')])
    mkdirSync(place, { recursive: true });
  writeCertificate(join(own, 'pki'), nodeName, clock);
  writeFileSync(join(own, 'kubeconfig'), kubeconfig);
  const endpoint = `unix://${OWN_PLACE}/${SOCKET}`;
  writeFileSync(join(own, 'config.yaml'), programConfig({ ...parts, endpoint }));
  return inNamespaces(directory, nodeName, [
    program,
    ...['--config', `${OWN_PLACE}/config.yaml`, '--kubeconfig', `${OWN_PLACE}/kubeconfig`],
    ...['--hostname-override', nodeName, '--v=2', '--vmodule=evented=4'],
  ]);
}

/** Without a server certificate the kubelet generates an RSA key, a fifth of the CPU time of a four-minute run. */
function writeCertificate(directory: string, nodeName: string, clock: Clock): void {
  if (existsSync(directory)) return;
  const subject = { commonName: nodeName, organization: 'mockri', hosts: [nodeName] };
  const { cert, key } = selfSigned(subject, Number(clock.now() / 1_000_000n));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kubelet.crt'), cert);
  writeFileSync(join(directory, 'kubelet.key'), key, { mode: 0o600 });
}
