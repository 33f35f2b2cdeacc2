import { expect, test } from 'vitest';
import { z } from 'zod';
import { joinCalls } from '../../src/tape/calls.js';
import { diffTapes } from '../../src/tape/diff.js';
import { otlpLines } from '../../src/tape/export/otlp.js';
import { openTape } from '../../src/tape/read.js';
import { runCommand } from '../support/command.js';
import { containerConfig, podConfig, recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const record = (work: Parameters<typeof recordRun>[1]) => recordRun({ directory: directory() }, work);

test('two runs of the same pods do not differ, despite other ids', async () => {
  const run = () =>
    record(async (cri) => {
      await wholeLife(cri, 'a');
      await wholeLife(cri, 'b');
    });
  const diff = await diffTapes(await openTape(await run()), await openTape(await run()));
  expect(diff.differences).toEqual([]);
  expect(diff.same).toBe(16);
});

test('a call missing in one run and a failed one are the only differences', async () => {
  const run = (isSecond: boolean) =>
    record(async (cri) => {
      const sandboxConfig = podConfig('web');
      const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
      const config = containerConfig('app');
      if (isSecond) await cri.pullImage({ image: config.image, auth: undefined, sandboxConfig });
      await cri.createContainer({ podSandboxId, config, sandboxConfig }).catch(() => {});
      await cri.stopPodSandbox({ podSandboxId });
    });
  const [a, b] = [await run(false), await run(true)];
  const { differences, same } = await diffTapes(await openTape(a), await openTape(b));
  expect(same).toBe(2);
  expect(differences.map(({ about, texts }) => [about, ...texts])).toEqual([
    ['default/web', '', 'PullImage busybox:1.36 OK'],
    ['default/web app(0)', 'CreateContainer NOT_FOUND', 'CreateContainer OK'],
  ]);
  const { out, code } = await runCommand('tape', 'diff', a, b);
  const [legend, about, line, ...rest] = out.split('\n');
  expect([legend, about]).toEqual([`- ${a}; + ${b}`, 'default/web']);
  expect(line).toMatch(/^ {2}\+ PullImage busybox:1\.36 OK {2}\(.*, call 2\)$/);
  expect(rest.map((each) => each.slice(0, 4))).toContain('  - ');
  expect(code).toBe(1);
});

const id = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));
const attribute = z.strictObject({
  key: z.string(),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  ]),
});
/** TracesData of opentelemetry-proto, in the JSON of its specification: ids in hex, 64-bit numbers as text. */
const otlp = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string() }),
          spans: z.array(
            z.strictObject({
              traceId: id(32),
              spanId: id(16),
              parentSpanId: id(16).optional(),
              name: z.string().min(1),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: z.string().regex(/^\d+$/),
              endTimeUnixNano: z.string().regex(/^\d+$/),
              attributes: z.array(attribute),
              status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

test('OTLP has a span for each call, within the traces of callers', async () => {
  const tape = await openTape(await record((cri) => wholeLife(cri, 'web')));
  const traced = async function* () {
    const trace = { trace: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` };
    for await (const each of joinCalls(tape.entries))
      yield each.kind === 'finished' ? { ...each, call: { ...each.call, ...trace } } : each;
  };
  const lines: string[] = [];
  for await (const line of otlpLines(tape.header, traced())) lines.push(line);
  expect(lines).toHaveLength(1);
  const parsed = otlp.parse(JSON.parse(lines[0] ?? ''));
  const written = parsed.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  expect(written).toHaveLength(11);
  expect(written[0]).toMatchObject({ traceId: 'ab'.repeat(16), parentSpanId: 'cd'.repeat(8) });
  const isLong = ({ startTimeUnixNano: start, endTimeUnixNano: end }: (typeof written)[0]) =>
    BigInt(end) > BigInt(start);
  expect(written.filter((each) => !isLong(each))).toEqual([]);
});
