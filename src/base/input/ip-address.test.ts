import { expect, test } from 'vitest';
import { formatIpAddress, isWithin, parseIpAddress, parseIpRange, withoutCarrier } from './ip-address.js';

/** The address that a spelling means, in its usual one. */
function meaning(text: string): string | undefined {
  const address = parseIpAddress(text);
  return address && formatIpAddress(withoutCarrier(address));
}

test.each([
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.1',
  '00000177.0.0.01',
  '::ffff:127.0.0.1',
  '::FFFF:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:7f00:0001',
  '0000:0000:0000:0000:0000:FFFF:127.0.0.1',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '0064:ff9b:0:0:0:0:7f00:1',
  '64:ff9b:1::127.0.0.1',
  '::ffff:127.0.0.1%lo',
  '::ffff:127.0.0.1%25lo',
])('%s is 127.0.0.1', (text) => {
  expect(meaning(text)).toBe('127.0.0.1');
});

test.each(['::1', '0:0:0:0:0:0:0:1', '0::1', '::0001', '0000:0:0:0:0::1', '::1%lo', '::0.0.0.1'])(
  '%s is ::1',
  (text) => {
    expect(meaning(text)).toBe('0:0:0:0:0:0:0:1');
  },
);

test.each([
  ['0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['10.1', '10.0.0.1'],
  ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1::', '1:0:0:0:0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
])('%s is %s', (text, expected) => {
  expect(meaning(text)).toBe(expected);
});

test.each([
  '',
  'localhost',
  '1.2.3.4.5',
  '256.0.0.1',
  '127.0.0.08',
  '127.0.0.1 ',
  '127..1',
  '1.2.3.256',
  '4294967296',
  '-1',
  '0x',
  '0x1ffffffff',
  '1:2:3',
  '::1::',
  '[::1]',
  ':ffff:127.0.0.1',
])('%j is no address', (text) => {
  expect(parseIpAddress(text)).toBeUndefined();
});

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.7', '10.0.0.7', true],
  ['10.0.0.7', '10.0.0.8', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['::/0', '2001:db9::1', true],
])('%s has %s: %s', (range, address, has) => {
  const [parsed, within] = [parseIpAddress(address), parseIpRange(range)];
  expect(parsed && within && isWithin(parsed, within)).toBe(has);
});

test.each([
  '10.0.0.0/33',
  '10.1/8',
  '::/129',
  'example.com',
  '10.0.0.0/',
  '10.0.0.0/x',
  'fe80::1%eth0',
  '0x0a.0.0.1',
])('%s is no range', (text) => {
  expect(parseIpRange(text)).toBeUndefined();
});
