import { Command } from 'commander';
import { expect, test } from 'vitest';
import { nodeStatus } from '../../../cluster/node/node-object.js';
import { nodeList } from './node-list.js';
import { addNodeSettings, readNodeSettings } from './settings.js';

/** Types of the addresses of a node with these options. */
function addresses(...args: string[]): unknown {
  const command = new Command().exitOverride();
  addNodeSettings(command);
  const flags = readNodeSettings(command.parse(args, { from: 'user' }).opts(), {});
  const [first] = nodeList({ ...flags, 'node-ip': '10.0.0.1' }, undefined);
  if (first === undefined) throw new Error('no node');
  const ready = { status: 'True', reason: 'KubeletReady', message: '', problems: [] } as const;
  const facts = { ...first, ready, runtimeVersion: '', features: [], bootId: '', now: 0n };
  return (nodeStatus(facts, []) as { readonly addresses: unknown }).addresses;
}

test('a node has its name as an address, unless the API server would look it up', () => {
  const ip = { type: 'InternalIP', address: '10.0.0.1' };
  expect(addresses()).toEqual([ip, { type: 'Hostname', address: 'mock-0' }]);
  expect(addresses('--hostname-address', 'none')).toEqual([ip]);
});
