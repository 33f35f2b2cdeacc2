import { expect, test } from 'vitest';
import { checkPluginSettings } from './plugin-settings.js';
import { readSettings } from './settings.js';

const check = (flags: object) => () => checkPluginSettings(readSettings({ ...flags }, {}));

test.each([
  [
    'a socket of plugins in front of a tape',
    { backend: 'tape', nriSocket: '/x' },
    '--nri-socket: a tape has no runtime that plugins could change; allowed with backends memory and docker, and with --on-miss memory',
  ],
  [
    'plugins to start in front of a tape',
    { backend: 'tape', nriPlugin: '/x' },
    '--nri-plugin: a tape has no runtime',
  ],
  [
    'both in front of another runtime',
    { backend: 'remote', nriSocket: '/x', nriPlugin: '/x' },
    '--nri-socket and --nri-plugin: plugins connect to the runtime behind; allowed with backends memory and docker',
  ],
  [
    'a time for requests without plugins',
    { nriRequestTimeout: '5s' },
    '--nri-request-timeout: no plugins can connect; allowed with --nri-socket or --nri-plugin',
  ],
  [
    'both times without plugins',
    { nriRequestTimeout: '5s', nriRegistrationTimeout: '5s' },
    '--nri-registration-timeout and --nri-request-timeout: no plugins can connect',
  ],
])('%s: refused', (_, flags, message) => {
  expect(check(flags)).toThrow(message);
});

test.each([
  ['no plugins', {}],
  ['plugins with times', { nriSocket: '/x', nriRequestTimeout: '5s', nriRegistrationTimeout: '5s' }],
  ['plugins of a runtime behind a tape', { backend: 'tape', onMiss: 'memory', nriSocket: '/x' }],
])('%s: allowed', (_, flags) => {
  expect(check(flags)).not.toThrow();
});
