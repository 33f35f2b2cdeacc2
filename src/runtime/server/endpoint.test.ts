import { expect, test } from 'vitest';
import { parseEndpoint } from './endpoint.js';

test.each(['tcp:/x', 'tcp:127.0.0.1:80', 'http:/x/y'])('%s is no path of a socket', (text) => {
  expect(() => parseEndpoint(text)).toThrow(`${JSON.stringify(text)} is not an endpoint; write unix://`);
});

test.each(['tcp:/x', 'http:/x/y'])('./%s is one', (text) => {
  expect(parseEndpoint(`./${text}`)).toMatchObject({ kind: 'unix' });
});

test('the range of ports is named', () => {
  expect(() => parseEndpoint('tcp://127.0.0.1:99999')).toThrow('port 99999: expected 0 to 65535');
});
