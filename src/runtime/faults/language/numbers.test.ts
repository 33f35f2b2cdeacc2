import { expect, test } from 'vitest';
import type { FaultInput } from './rule-schema.js';
import { readRules } from './written-rule.js';

const read = (rule: FaultInput) => readRules([rule], 'rules.yaml')[0]?.spec;

const reply = (method: string, reply: object) =>
  read({ match: { method }, on: 'reply', then: { reply } } as FaultInput)?.action?.options;

test('a request may name values of enums, in messages, lists and elements', () => {
  const { match } =
    read({
      match: {
        method: 'RunPodSandbox',
        request: {
          config: {
            port_mappings: [{ protocol: 'UDP' }, { host_ip: '10.*' }],
            linux: { security_context: { namespace_options: { network: 'NODE', pid: 2 } } },
          },
        },
      },
      then: { error: {} },
    }) ?? {};
  expect(match?.request).toEqual({
    config: {
      port_mappings: [{ protocol: 1 }, { host_ip: '10.*' }],
      linux: { security_context: { namespace_options: { network: 2, pid: 2 } } },
    },
  });
  const one = {
    match: { method: 'RunPodSandbox', request: { config: { portMappings: { protocol: 'SCTP' } } } },
    then: { error: {} },
  };
  expect(read(one)?.match.request).toEqual({ config: { portMappings: { protocol: 2 } } });
});

test('so may a reply', () => {
  const exited = {
    status: { state: 'CONTAINER_EXITED', finished_at: { $add: 5 }, exit_code: '3', labels: { state: 'x' } },
  };
  const numbers = { status: { state: 2, finished_at: { $add: 5 }, exit_code: 3, labels: { state: 'x' } } };
  expect(reply('ContainerStatus', { patch: exited })).toEqual({ patch: numbers });
  expect(reply('ContainerStatus', { replace: exited })).toEqual({ replace: numbers });
  expect(reply('ListContainers', { patch: { containers: { state: 'CONTAINER_UNKNOWN' } } })).toEqual({
    patch: { containers: { state: 3 } },
  });
});

test('of several RPCs, each has its own fields', () => {
  const both = ['ContainerStatus', 'PodSandboxStatus'];
  const rule = {
    match: { method: both },
    on: 'reply',
    then: { reply: { patch: { status: { state: 'CONTAINER_EXITED' } } } },
  };
  expect(read(rule as FaultInput)?.action?.options).toEqual({ patch: { status: { state: 2 } } });
});

test('an unknown name is refused with some that exist', () => {
  expect(() => reply('ContainerStatus', { patch: { status: { state: 'EXITED' } } })).toThrow(
    'rules.yaml: then.reply.patch.status.state: no value "EXITED"; allowed: a number, or a name such as CONTAINER_RUNNING, CONTAINER_EXITED, CONTAINER_UNKNOWN',
  );
  expect(() => reply('ContainerStatus', { replace: { status: { exit_code: 'x*' } } })).toThrow(
    'then.reply.replace.status.exit_code: no value "x*"; allowed: a number',
  );
});

test('patterns of 64-bit numbers and texts stay', () => {
  const request = { timeout: '3*', container_id: 'abc*' };
  expect(read({ match: { method: 'StopContainer', request }, then: { error: {} } })?.match.request).toEqual(
    request,
  );
});
