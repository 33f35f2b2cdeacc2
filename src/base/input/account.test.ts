import { expect, test } from 'vitest';
import { Account, openAccounts, type ShareName, shares } from './account.js';

test('what a child takes counts for its parent, and neither takes more than it may', () => {
  const node = new Account(100);
  const [one, other] = [new Account(80, node), new Account(undefined, node)];
  expect(one.take(81)).toBe(false);
  expect(one.take(80)).toBe(true);
  expect(other.take(21)).toBe(false);
  expect(other.take(20)).toBe(true);
  expect(one.take(-30)).toBe(true);
  expect(other.take(30)).toBe(true);
  expect([node.used, one.used, other.used]).toEqual([100, 50, 50]);
});

test('an account that is closed has given back all, and takes no more', () => {
  const node = new Account(100);
  const one = new Account(undefined, node);
  one.take(60);
  one.close();
  expect(node.used).toBe(0);
  expect(one.take(1)).toBe(false);
  one.take(-60);
  expect(node.used).toBe(0);
});

test('whatever the others take, each share of a node has what is reserved for it', () => {
  const accounts = openAccounts(1024);
  for (const account of Object.values(accounts)) while (account.take(1));
  for (const [name, account] of Object.entries(accounts))
    expect(account.used, name).toBeGreaterThanOrEqual(1024 * shares[name as ShareName].reserved);
  const used = Object.values(accounts).reduce((sum, account) => sum + account.used, 0);
  expect(used).toBe(1024);
});
