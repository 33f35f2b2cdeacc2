import { Code } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import { isRpcFailure, must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { addressOf, Refused } from '../../streams/session.js';
import { opened } from '../steps/channels.js';

const MEBIBYTE = 1024 * 1024;

/** Maximum size of a reply in addition to its stdout. */
const ENVELOPE = 1024;

/** Seconds for which a command's leftover process runs. */
const LEFT_BEHIND = 8;

/** 16 MiB of output produce a reply slightly larger than the client's limit; that is not the runtime's fault. */
function sizeOfTooLargeReply(error: unknown): number {
  const size = isRpcFailure(error) && /message larger than max \((\d+) vs\.? \d+\)/.exec(error.details)?.[1];
  if (!size) throw error;
  return Number(size);
}

export const execChecks: Checks = {
  async 'INV-43.split'(t) {
    const containerId = await t.start(await t.sandbox());
    const exec = (script: string) => t.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 20n });
    const reply = await exec('echo out; echo err >&2; exit 3');
    mustEqual(
      [text(reply.stdout), text(reply.stderr), reply.exitCode],
      ['out\n', 'err\n', 3],
      'stdout, stderr and exit code',
    );
    const fine = await exec('true');
    mustEqual(
      [text(fine.stdout), text(fine.stderr), fine.exitCode],
      ['', '', 0],
      'those of a command without output',
    );
  },
  async 'INV-43.binary'(t) {
    const containerId = await t.start(await t.sandbox());
    const cmd = ['sh', '-c', "printf '\\000\\001\\177\\200\\377\\r\\n'"];
    const { stdout } = await t.cri.execSync({ containerId, cmd, timeout: 20n });
    mustEqual(Buffer.from(stdout).toString('hex'), '00017f80ff0d0a', 'stdout in hex');
  },
  async 'INV-43.limit'(t) {
    const containerId = await t.start(await t.sandbox());
    const cmd = ['head', '-c', String(17 * MEBIBYTE), '/dev/zero'];
    const reply = await t.cri.execSync({ containerId, cmd, timeout: 60n }).catch(sizeOfTooLargeReply);
    const size = typeof reply === 'number' ? reply : reply.stdout.length;
    must(size <= 16 * MEBIBYTE + ENVELOPE, 'at most 16 MiB of stdout', `${size} bytes`);
    must(size >= MEBIBYTE, 'as much as fits', `${size} bytes`);
  },
  async 'INV-43.timeout'(t) {
    const containerId = await t.start(await t.sandbox(), { command: ['top', '-b'] });
    const slow = t.cri.execSync({ containerId, cmd: ['sleep', '4321'], timeout: 1n });
    await mustFail(slow, 'ExecSync of a command that takes too long', [Code.DEADLINE_EXCEEDED]);
    const cmd = ['sh', '-c', 'pgrep -f "sleep 432[1]" || true'];
    const left = await t.cri.execSync({ containerId, cmd, timeout: 20n });
    mustEqual(text(left.stdout), '', 'its remaining processes');
  },
  async 'INV-43.background'(t) {
    const containerId = await t.start(await t.sandbox());
    const cmd = ['sh', '-c', `sleep ${LEFT_BEHIND} & echo started`];
    const began = t.clock.elapsed();
    // The call may succeed or fail, but the client waits.
    const reply = await t.cri.execSync({ containerId, cmd, timeout: 1n }).catch((error: unknown) => {
      if (!isRpcFailure(error) || error.code !== Code.DEADLINE_EXCEEDED) throw error;
    });
    const took = t.clock.elapsed() - began;
    must(
      took < 1000 * LEFT_BEHIND,
      'a reply 1 s after the call at the latest, when the timeout is over',
      `one after ${Math.round(took / 100) / 10} s, when "sleep ${LEFT_BEHIND}" had ended`,
    );
    if (reply) mustEqual([text(reply.stdout), reply.exitCode], ['started\n', 0], 'stdout and exit code');
  },
  async 'INV-44.validation'(t) {
    const containerId = await t.start(await t.sandbox());
    const none = { containerId, stdin: false, stdout: false, stderr: false, tty: false };
    const both = { containerId, stdin: false, stdout: true, stderr: true, tty: true };
    for (const wrong of [none, both]) {
      await mustFail(t.cri.exec({ ...wrong, cmd: ['sh'] }), `Exec with ${JSON.stringify(wrong)}`);
      await mustFail(t.cri.attach(wrong), `Attach with ${JSON.stringify(wrong)}`);
    }
  },
  async 'INV-45.url'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.start(sandbox);
    const streams = { containerId, stdin: false, stdout: true, stderr: true, tty: false };
    const urls: string[] = [];
    for (let round = 0; round < 3; round++) {
      urls.push((await t.cri.exec({ ...streams, cmd: ['true'] })).url);
      urls.push((await t.cri.attach(streams)).url);
      urls.push((await t.cri.portForward({ podSandboxId: sandbox.id, port: [] })).url);
    }
    for (const url of urls) must(URL.canParse(url) && /^https?:/.test(url), 'an absolute http(s) URL', url);
    mustEqual(new Set(urls).size, urls.length, 'the number of different URLs');
  },
  async 'INV-45.unknown-token'(t) {
    const containerId = await t.start(await t.sandbox());
    const { url } = await t.cri.exec({
      containerId,
      cmd: ['true'],
      stdin: false,
      stdout: true,
      stderr: true,
      tty: false,
    });
    const wrong = url.replace(/[^/]+$/, 'no-such-token');
    const status = await opened(`a connection to ${wrong}`, statusOf(wrong, t.patience));
    mustEqual(status, 404, `the HTTP status of ${wrong}`);
  },
  async 'INV-43.no-command'(t) {
    const containerId = await t.start(await t.sandbox());
    await mustFail(t.cri.execSync({ containerId, cmd: [], timeout: 5n }), 'ExecSync without a command');
    const absent = t.cri.execSync({ containerId, cmd: ['/no/such/command'], timeout: 5n });
    const reply = await absent.catch(() => undefined);
    if (reply) must([126, 127].includes(reply.exitCode), 'exit code 126 or 127', reply);
    await mustWork(t.cri.execSync({ containerId, cmd: ['true'], timeout: 20n }), 'ExecSync afterwards');
  },
};

/** The HTTP status of an address. Rejects with Refused without a reply within `patience` ms. */
async function statusOf(url: string, patience: number): Promise<number> {
  const reply = await fetch(addressOf(url), { signal: AbortSignal.timeout(patience) }).catch(
    (error: Error & { readonly cause?: Error }) => {
      throw new Refused(error.cause?.message ?? error.message);
    },
  );
  return reply.status;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
