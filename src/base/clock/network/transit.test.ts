import { expect, test } from 'vitest';
import { createTransit } from './transit.js';

function countingTransit() {
  let held = 0;
  const transit = createTransit(() => {
    held++;
    return () => {
      held--;
    };
  });
  return { transit, held: () => held };
}

test('a unary call holds while the request and while the reply is carried, not while it is served', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  expect(held()).toBe(1);
  const server = transit.arrive(client.id);
  expect(held()).toBe(0);
  server?.end();
  expect(held()).toBe(1);
  client.end();
  expect(held()).toBe(0);
});

test('stream messages hold until each has arrived', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  const server = transit.arrive(client.id);
  server?.sent();
  server?.sent();
  expect(held()).toBe(2);
  client.received();
  expect(held()).toBe(1);
  server?.end();
  client.received();
  client.end();
  expect(held()).toBe(0);
});

test('a cancelled call holds until the server has let go of it', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  const server = transit.arrive(client.id);
  client.end();
  expect(held()).toBe(1);
  server?.sent();
  server?.end();
  expect(held()).toBe(0);
});

test('a cancelled call holds until the server has learned of it, however long the handler continues', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  const server = transit.arrive(client.id);
  client.end();
  expect(held()).toBe(1);
  server?.cancelled();
  expect(held()).toBe(0);
  server?.end();
  expect(held()).toBe(0);
});

test('a call whose deadline the server notices first holds nothing when its client gives up', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  const server = transit.arrive(client.id);
  server?.cancelled();
  client.end();
  expect(held()).toBe(0);
});

test('a call that never arrived holds nothing after the client canceled it, and cannot arrive any more', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  client.end();
  expect(held()).toBe(0);
  expect(transit.arrive(client.id)).toBeUndefined();
});

test('a refused request that is sent again holds until its answer has arrived, too', () => {
  const { transit, held } = countingTransit();
  const client = transit.begin();
  transit.arrive(client.id)?.end();
  expect(held()).toBe(1);
  const again = transit.arrive(client.id);
  expect(held()).toBe(0);
  expect(transit.arrive(client.id)).toBeUndefined();
  again?.end();
  expect(held()).toBe(1);
  client.end();
  expect(held()).toBe(0);
});
