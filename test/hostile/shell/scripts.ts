import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LONG_PATIENCE } from './observer.js';
import { randomOrders } from './random-orders.js';
import type { Order, Outcome } from './runner.js';
import { ScriptRunner } from './script-runner.js';

const USAGE = `Runs random scripts of the shell's grammar in containers of 32 MiB.

  npm run --silent test:scripts -- --count 100000 --seed 7 --processes 2
  npm run --silent test:scripts -- --script 'seq 9999 | sort'

Prints a line of JSON for each finding, a summary after each thousand scripts, and one at the end. A finding: the event loop was
blocked for more than 50 ms of processor time (without collections of garbage), the process held more than what the container
pays for, something failed, or the script neither ended nor could be killed.

  --count N      how many scripts (default 1000)
  --seed N       of the scripts (default 1)
  --processes N  that run scripts (default 1)
  --script TEXT  this one instead

Exit code: 1 if there are findings.
`;

const options = {
  count: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  processes: { type: 'string', default: '1' },
  script: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const print = (value: object) => writeSync(1, `${JSON.stringify(value)}\n`);

const worst = { block: 0, collection: 0, unpaid: 0 };
const summary = { scripts: 0, findings: 0, killed: 0, oomKilled: 0, worst };

function note({ script }: Order, { effect, ...finding }: Outcome): void {
  summary.scripts++;
  if (effect?.isKilled) summary.killed++;
  if (effect !== undefined && effect.oomKills > 0) summary.oomKilled++;
  for (const figure of ['block', 'collection', 'unpaid'] as const)
    worst[figure] = Math.max(worst[figure], Math.round(effect?.[figure] ?? 0));
  if (finding.wrong !== undefined) {
    summary.findings++;
    print({ ...finding, script });
  }
  if (summary.scripts % 1000 === 0) print(summary);
}

async function runAll(orders: Iterator<Order>): Promise<void> {
  const runner = new ScriptRunner();
  for (let next = orders.next(); !next.done; next = orders.next())
    note(next.value, await runner.run(next.value));
  runner.close();
}

const { count, seed, processes, script, help } = parseArgs({ options }).values;
if (help) process.stdout.write(USAGE);
else {
  const orders =
    script === undefined
      ? randomOrders(Number(seed), Number(count))
      : [{ script, patience: LONG_PATIENCE }].values();
  await Promise.all(Array.from({ length: Number(processes) }, () => runAll(orders)));
  print(summary);
  process.exitCode = summary.findings > 0 ? 1 : 0;
}
