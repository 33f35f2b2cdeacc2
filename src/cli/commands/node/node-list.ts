import { networkInterfaces } from 'node:os';
import { InputError } from '../../../base/input/yaml.js';
import type { NodeSettings } from '../../../cluster/node/node-settings.js';
import type { NodeFlags } from './settings.js';

/** Default resources of a node. */
const CAPACITY = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '200Gi' };

export type NodeList = readonly { readonly name: string; readonly settings: NodeSettings }[];

/**
 * Names and settings of the nodes, without ports. `manifests` is the path of static pods, in which {n} is a node's
 * number. Throws InputError for duplicate names.
 */
export function nodeList(flags: NodeFlags, manifests: string | undefined): NodeList {
  const { nodes: count, name } = flags;
  if (count > 1 && !name.includes('{n}'))
    throw new InputError([
      `--name ${name}: ${count} nodes need different names; write {n} where the number goes`,
    ]);
  const first = flags.first + ordinalOf(flags.replica) * count;
  const ip = flags['node-ip'] ?? ownAddress();
  return Array.from({ length: count }, (_, index) => {
    const number = String(first + index);
    const providerID = flags['provider-id']?.replaceAll('{n}', number);
    return {
      name: name.replaceAll('{n}', number),
      settings: {
        labels: flags.labels,
        annotations: flags.annotations,
        taints: flags.taints,
        capacity: { ...CAPACITY, ...flags.capacity },
        allocatable: flags.allocatable,
        ip,
        withoutHostname: flags['hostname-address'] === 'none',
        port: 0,
        kubeletVersion: `v${flags['kubelet-version']}.0`,
        osImage: 'Mockri',
        kernelVersion: '6.12.0-mockri',
        architecture: 'amd64',
        providerID,
        staticPodPath: manifests?.replaceAll('{n}', number),
      },
    };
  });
}

function ordinalOf(replica: string | undefined): number {
  if (replica === undefined) return 0;
  const [, ordinal] = /(?:^|-)(\d+)$/.exec(replica) ?? [];
  if (ordinal === undefined)
    throw new InputError([`--replica ${replica}: expected a name that ends with a number, such as mockri-3`]);
  return Number(ordinal);
}

/** The first address that others can reach, otherwise loopback. */
function ownAddress(): string {
  for (const addresses of Object.values(networkInterfaces()))
    for (const { family, internal, address } of addresses ?? [])
      if (family === 'IPv4' && !internal) return address;
  return '127.0.0.1';
}
