import { expect, it } from 'vitest';
import { isThorough } from '../../../test/support/thorough.js';
import { AddressPool } from './addresses.js';

const slow = it.runIf(isThorough);

it('begins at 127.64.0.1, and gives a released address again', () => {
  const pool = new AddressPool();
  expect([pool.take(), pool.take()]).toEqual(['127.64.0.1', '127.64.0.2']);
  pool.release('127.64.0.1');
  expect([pool.has('127.64.0.1'), pool.has('127.64.0.2'), pool.has('127.64.0.3')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(pool.take()).toBe('127.64.0.1');
  for (let count = 3; count < 256; count++) pool.take();
  expect(pool.take()).toBe('127.64.1.0');
});

it('begins elsewhere for each server of a machine, at the same place every time', () => {
  const firsts = Array.from({ length: 200 }, (_, index) =>
    new AddressPool(`unix:///tmp/${index}.sock`).take(),
  );
  expect(new Set(firsts).size).toBeGreaterThan(195);
  for (const first of firsts) expect(first).toMatch(/^127\.(6[4-9]|[7-9]\d|1[012]\d)\.\d+\.1$/);
  expect(new AddressPool('unix:///tmp/7.sock').take()).toBe(firsts[7]);
});

slow('continues at the start of the range after its end', () => {
  const pool = new AddressPool('/tmp/7.sock');
  const first = pool.take();
  const turns: string[] = [];
  let last = first;
  for (let count = 1; count < 2 ** 22; count++) {
    const address = pool.take();
    if (address === '127.64.0.0') turns.push(`${address} after ${last}`);
    last = address;
  }
  expect(turns).toEqual(['127.64.0.0 after 127.127.255.255']);
  expect(last).toBe(first.replace(/1$/, '0'));
  expect(() => pool.take()).toThrow('all 4,194,304');
});

it('begins elsewhere while another pool has reserved its addresses', async () => {
  const pools = [new AddressPool(), new AddressPool(), new AddressPool()] as const;
  const [one, other, third] = pools;
  for (const pool of [one, other]) await pool.reserve();
  const [first, second] = [one.take(), other.take()];
  expect(first).toMatch(/^127\.\d+\.0\.1$/);
  expect(second).toMatch(/^127\.\d+\.0\.1$/);
  expect(second).not.toBe(first);
  await one.releaseReservation();
  await third.reserve();
  expect(third.take()).toBe(first);
  for (const pool of pools) await pool.releaseReservation();
});
