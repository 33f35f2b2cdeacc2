import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { AttachRequest, ExecSyncRequest, ExecSyncResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

/** ExecSync's limit for each output, in bytes (cri-api ExecSync). */
const MOST_OUTPUT = 16 * 1024 * 1024;

/** Checks ExecSync and streaming requests against INV-43 to INV-45. */
export function watchExec(findings: Findings): Watcher {
  const urls = new Map<string, number>();

  const execSync = ({ call, reply, replyLine }: AnsweredCall) => {
    const { cmd, containerId } = call.message.value<ExecSyncRequest>();
    const { stdout, stderr, exitCode } = reply.message?.value<ExecSyncResponse>() ?? {};
    if (cmd.length === 0)
      findings.add('INV-43.no-command', containerId, 'ExecSync without a command is OK', [replyLine]);
    if (exitCode !== undefined && (exitCode < 0 || exitCode > 255))
      findings.add(
        'INV-43.timeout',
        containerId,
        `ExecSync is OK with exit code ${exitCode}, which no process has`,
        [replyLine],
      );
    const most = Math.max(stdout?.length ?? 0, stderr?.length ?? 0);
    if (most > MOST_OUTPUT)
      findings.add('INV-43.limit', containerId, `ExecSync answers ${most} bytes, more than 16 MiB`, [
        replyLine,
      ]);
  };

  const streams = ({ method, call, replyLine }: AnsweredCall) => {
    const { stdin, stdout, stderr, tty } = call.message.value<AttachRequest>();
    if (!stdin && !stdout && !stderr)
      findings.add('INV-44.validation', method, `${method} without any stream is OK`, [replyLine]);
    if (tty && stderr)
      findings.add('INV-44.validation', method, `${method} with stderr and a tty is OK`, [replyLine]);
  };

  const url = ({ method, reply, replyLine }: AnsweredCall) => {
    const given = reply.message?.value<{ url: string }>().url ?? '';
    const before = urls.get(given);
    if (before !== undefined)
      findings.add('INV-45.url', method, `${method} answers the same URL again`, [before, replyLine]);
    urls.set(given, replyLine);
    forgetOldest(urls);
    if (!given.startsWith('redacted:') && !URL.canParse(given))
      findings.add('INV-45.url', method, `${method} answers "${given}", no absolute URL`, [replyLine]);
  };

  return {
    answered: (exchange) => {
      const { method, isOk } = exchange;
      if (!isOk) return;
      if (method === 'ExecSync') execSync(exchange);
      if (method === 'Exec' || method === 'Attach') streams(exchange);
      if (method === 'Exec' || method === 'Attach' || method === 'PortForward') url(exchange);
    },
    forget: () => urls.clear(),
  };
}
