import { allMethods, type CriMethod } from '../../../cri/methods.js';
import { containerRpcs } from './containers.js';
import { nodeRpcs } from './node.js';
import { podRpcs } from './pods.js';
import type { Rpc } from './rpc.js';

export const rpcs: readonly Rpc[] = [...podRpcs, ...containerRpcs, ...nodeRpcs];

const byName = new Map(rpcs.map((rpc) => [rpc.method, rpc]));
const methods = new Map(allMethods.map((method) => [method.name, method]));

export function rpcOf(method: string): Rpc {
  const rpc = byName.get(method);
  if (rpc === undefined) throw new Error(`no RPC ${method} in the catalog`);
  return rpc;
}

export function methodOf(name: string): CriMethod {
  const method = methods.get(name);
  if (method === undefined) throw new Error(`no RPC ${name}`);
  return method;
}
