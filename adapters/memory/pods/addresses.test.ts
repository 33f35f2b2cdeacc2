import { expect, it } from 'vitest';
import { AddressPool } from './addresses.js';

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

it('continues at the start of the range after its end', () => {
  const pool = new AddressPool('/tmp/7.sock');
  const all = new Set(Array.from({ length: 2 ** 22 }, () => pool.take()));
  expect(all.size).toBe(2 ** 22);
  expect([...all].every((address) => /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address))).toBe(true);
  expect(() => pool.take()).toThrow('all 4,194,304');
});
