import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual, mustWork } from '../../expect.js';
import { Violation } from '../../violation.js';

const LINE = /^(\S+) (stdout|stderr) ([PF])(?::\S+)? (.*)$/s;

interface LogLine {
  readonly time: string;
  readonly stream: string;
  readonly tag: string;
  readonly content: string;
}

/** The lines of a CRI log; each must be well formed. */
async function readLog(path: string): Promise<LogLine[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Violation(`a log at ${path}`, `none (${error.code})`);
  });
  must(text === '' || text.endsWith('\n'), 'a newline at the end of the log', text.slice(-60));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const match = LINE.exec(line);
      must(match !== null, 'TIME stdout|stderr P|F CONTENT', line.slice(0, 200));
      const [, time = '', stream = '', tag = '', content = ''] = match;
      must(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/.test(time),
        'a time as RFC 3339 with a fraction',
        time,
      );
      return { time, stream, tag, content };
    });
}

/** The content of one stream of the log, partial lines joined. */
const said = (lines: readonly LogLine[], stream: string): string =>
  lines
    .filter((line) => line.stream === stream)
    .map((line) => line.content + (line.tag === 'F' ? '\n' : ''))
    .join('');

const logOf = (sandbox: Sandbox, path: string): string => join(sandbox.config.logDirectory, path);

async function logged(t: CheckContext, script: string): Promise<LogLine[]> {
  const sandbox = await t.sandbox();
  await t.exited(await t.script(sandbox, script, { logPath: 'app.log' }));
  return readLog(logOf(sandbox, 'app.log'));
}

export const logChecks: Checks = {
  async 'INV-46.format'(t) {
    const lines = await logged(t, 'echo one; echo two >&2; echo; echo "  three  "');
    mustEqual(said(lines, 'stdout'), 'one\n\n  three  \n', 'stdout');
    mustEqual(said(lines, 'stderr'), 'two\n', 'stderr');
    for (const stream of ['stdout', 'stderr']) {
      const times = lines.filter((line) => line.stream === stream).map((line) => Date.parse(line.time));
      mustEqual(
        [...times].sort((a, b) => a - b),
        times,
        `the times of ${stream}, sorted`,
      );
    }
  },
  async 'INV-46.partial'(t) {
    const lines = await logged(t, 'head -c 50000 /dev/zero | tr "\\000" x; echo; echo end');
    mustEqual(said(lines, 'stdout').length, 50_000 + 1 + 4, 'the length of stdout');
    must(
      lines.some((line) => line.tag === 'P'),
      'P lines',
      lines.map((line) => line.tag),
    );
    must(
      said(lines, 'stdout').endsWith('x\nend\n'),
      'the line’s end and the next line',
      said(lines, 'stdout').slice(-20),
    );
  },
  async 'INV-46.rotation'(t) {
    const sandbox = await t.sandbox();
    const script = 'i=0; while true; do i=$((i+1)); echo line $i; sleep 0.01; done';
    const containerId = await t.script(sandbox, script, { logPath: 'app.log' });
    const path = logOf(sandbox, 'app.log');
    const rotated: string[] = [];
    const longer = async (than: number) => {
      await t.eventually(
        async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').length,
        (count) => count > than,
        'more log lines',
      );
    };
    for (let round = 0; round < 3; round++) {
      await longer(5);
      const old = `${path}.${round}`;
      await rename(path, old);
      await mustWork(t.cri.reopenContainerLog({ containerId }), 'ReopenContainerLog');
      await stat(path).catch(() =>
        must(false, 'a new log file once ReopenContainerLog has returned', 'none'),
      );
      rotated.push(old);
    }
    await longer(5);
    await t.cri.stopContainer({ containerId, timeout: 0n });
    let all = '';
    for (const file of [...rotated, path]) all += said(await readLog(file), 'stdout');
    const numbers = all
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line.replace('line ', '')));
    mustEqual(
      numbers,
      numbers.map((_, index) => index + 1),
      'the numbers of the lines over all files',
    );
  },
  async 'INV-46.reopen-stopped'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.script(sandbox, 'echo done', { logPath: 'app.log' });
    await t.exited(containerId);
    const path = logOf(sandbox, 'app.log');
    await rename(path, `${path}.old`);
    const rejected = await t.cri.reopenContainerLog({ containerId }).then(
      () => false,
      () => true,
    );
    const exists = await stat(path).then(
      () => true,
      () => false,
    );
    must(!rejected || !exists, 'no new file after a rejection', 'a new file');
  },
  async 'INV-47.kept'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.script(sandbox, 'echo kept', { logPath: 'app.log' });
    await t.exited(containerId);
    await t.cri.stopContainer({ containerId, timeout: 0n });
    await t.cri.removeContainer({ containerId });
    mustEqual(
      said(await readLog(logOf(sandbox, 'app.log')), 'stdout'),
      'kept\n',
      'the log after RemoveContainer',
    );
  },
};
