import { describe, expect, test } from 'vitest';
import { formatSocketAddress, parseSocketAddress } from './socket-address.js';

describe('a socket address', () => {
  test.each([
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
    ['[::1]:80', { host: '::1', port: 80 }],
  ])('%s is read and written alike', (text, address) => {
    expect(parseSocketAddress(text)).toEqual(address);
    expect(formatSocketAddress(address)).toBe(text);
  });

  test.each([
    '',
    ':80',
    'a',
    'a:',
    'a:65536',
    '::1:80',
    '[a]:80',
    '[::1]',
    '[::1:80',
    'a b:80',
    'a/b:80',
    'a:8x',
  ])('%j is none', (text) => expect(parseSocketAddress(text)).toBeUndefined());
});
