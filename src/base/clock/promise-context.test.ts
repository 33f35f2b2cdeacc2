import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { PromiseContext } from './promise-context.js';
import { turn } from './turn.js';

test('a value goes along awaits, into what is called and what is started, and no further', async () => {
  const context = new PromiseContext<{ name: string }>();
  const seen: string[] = [];
  const look = (where: string) => seen.push(`${where}: ${context.get()?.name}`);
  const started: Promise<void>[] = [];
  const inner = async () => {
    look('called');
    await turn();
    look('after a turn');
  };
  const task = context.run({ name: 'task' }, async () => {
    look('begun');
    await inner();
    started.push(Promise.resolve().then(() => void look('started')));
    await Promise.all([inner(), undefined]);
    look('at the end');
  });
  look('outside');
  await task;
  await Promise.all(started);
  look('behind');
  expect(seen).toEqual([
    'begun: task',
    'called: task',
    'outside: undefined',
    'after a turn: task',
    'called: task',
    'started: task',
    'after a turn: task',
    'at the end: task',
    'behind: undefined',
  ]);
});

test('the value before is there again, also after a throw', () => {
  const context = new PromiseContext<{ name: string }>();
  context.run({ name: 'outer' }, () => {
    expect(() =>
      context.run({ name: 'inner' }, () => {
        throw new Error(context.get()?.name);
      }),
    ).toThrow('inner');
    expect(context.get()?.name).toBe('outer');
  });
  expect(context.get()).toBe(undefined);
});

test('an emitter that is called within a task tells its listeners the task; a timer has none', async () => {
  const context = new PromiseContext<{ name: string }>();
  const target = new EventTarget();
  const seen: (string | undefined)[] = [];
  target.addEventListener('it', () => seen.push(context.get()?.name));
  await context.run({ name: 'task' }, async () => {
    target.dispatchEvent(new Event('it'));
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        target.dispatchEvent(new Event('it'));
        resolve();
      });
    });
    target.dispatchEvent(new Event('it'));
  });
  expect(seen).toEqual(['task', undefined, 'task']);
});

test('of any tasks at once each keeps its own, in every context', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { maxLength: 8 }), async (plans) => {
      const contexts = [new PromiseContext<{ id: number }>(), new PromiseContext<{ id: number }>()] as const;
      const [first, second] = contexts;
      const task = async (id: number, steps: boolean[]) => {
        for (const isLong of steps) {
          await (isLong ? turn() : undefined);
          expect([first.get()?.id, second.get()?.id]).toEqual([id, -id]);
        }
      };
      await Promise.all(
        plans.map((steps, id) => first.run({ id }, () => second.run({ id: -id }, () => task(id, steps)))),
      );
      expect(contexts.map((context) => context.get())).toEqual([undefined, undefined]);
    }),
  ));
