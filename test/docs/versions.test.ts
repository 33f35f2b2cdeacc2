import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { table } from '../support/markdown-table.js';
import { pins, RUN_KINDS, runs } from '../support/versions.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const pinTable = table([
  ['program', 'version', 'from', 'what is measured with it', 'on', 'supported until'],
  ...pins.map(({ program, version, module, suite, measured, date, until }) => [
    program,
    version,
    module === undefined ? `Debian ${suite}` : `\`${module}\``,
    measured,
    date,
    until ?? '',
  ]),
]);

const matrix = table([
  ['on', ...RUN_KINDS],
  ...[...new Set(runs.map(({ on }) => on))].map((on) => [
    on,
    ...RUN_KINDS.map((kind) =>
      runs
        .filter((run) => run.on === on && run.what === kind)
        .map(({ client, result, date }) => `${client === undefined ? '' : `${client}: `}${result}, ${date}`)
        .join('; '),
    ),
  ]),
]);

type Item = { readonly name: string; readonly since?: string };
const facts: {
  readonly services: Record<string, { readonly rpcs: readonly Item[] }>;
  readonly messages: Record<string, { readonly fields: readonly Item[] }>;
} = JSON.parse(readFileSync(`${root}proto/cri-v1.json`, 'utf8'));

const rpcs = Object.values(facts.services).flatMap((service) => service.rpcs);
const fields = Object.entries(facts.messages).flatMap(([message, { fields: own }]) =>
  own.map((field) => ({ ...field, name: `${message}.${field.name}` })),
);
const levels = [...new Set([...rpcs, ...fields].flatMap(({ since }) => since ?? []))].sort();
/** The names of those that came with a level. */
const cameWith = (level: string, items: readonly Item[]) =>
  items
    .filter(({ since }) => since === level)
    .map(({ name }) => `\`${name}\``)
    .join(', ');
const levelList = levels
  .map((level) => `- ${[level, cameWith(level, rpcs), cameWith(level, fields)].filter(Boolean).join(': ')}`)
  .join('\n');

test.each([
  ['levels', 'docs/versions.md', levelList],
  ['versions', 'docs/versions.md', pinTable],
  ['runs', 'docs/results/profiles.md', matrix],
])('the %s of test/peers/versions.yaml are in %s; UPDATE_DOCS=1 writes them', (name, file, markdown) => {
  const page = root + file;
  const text = readFileSync(page, 'utf8');
  const expected = text.replace(
    new RegExp(`(<!-- ${name} -->\\n\\n)[\\s\\S]*?(\\n\\n<!-- end -->)`),
    `$1${markdown}$2`,
  );
  if (process.env.UPDATE_DOCS) writeFileSync(page, expected);
  expect(readFileSync(page, 'utf8')).toBe(expected);
});

test('Go modules of the tests have the versions of the list', () => {
  const modules = {
    kubernetes: ['programs/kubernetes', 'slow/e2e/build', 'slow/node-e2e/build'],
    crictl: ['programs/tools'],
  };
  for (const [program, directories] of Object.entries(modules)) {
    const pin = pins.find((one) => one.program === program);
    for (const directory of directories)
      expect(readFileSync(`${root}test/peers/${directory}/go.mod`, 'utf8')).toContain(
        `${pin?.module} ${pin?.version}`,
      );
  }
});

test('each pin has one source', () => {
  for (const pin of pins)
    expect([pin.program, pin.module === undefined]).toEqual([pin.program, pin.package !== undefined]);
});
