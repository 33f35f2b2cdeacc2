import { formatPod } from '../backoff/keys.js';
import { errorText, isDeadlineExceeded } from '../client/errors.js';
import { listPods } from '../client/list-pods.js';
import { getPodStatus, inspectionOf } from '../client/pod-status.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Handler } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimeContext } from './context.js';

/**
 * Runs a lifecycle hook until it ends (lifecycle/handlers.go). Commands have no timeout: ExecSync with 0. Rejects with
 * the text for the container's waiting message.
 */
export async function runHook(
  context: RuntimeContext,
  pod: Pod,
  container: ContainerSpec,
  containerId: string,
  handler: Handler,
): Promise<void> {
  const { clock, hookRequest, verdict } = context;
  const hook = handler === container.lifecycle?.postStart ? 'postStart' : 'preStop';
  const ruled = verdict?.(pod, container, hook);
  if (ruled === 'failure') throw new Error(`a behavior rule lets the ${hook} hook fail`);
  if (ruled === 'success') return;
  if (handler.exec !== undefined) {
    await runCommand(context, pod, container, containerId, handler.exec.command);
  } else if (handler.sleep !== undefined) {
    await clock.sleep(handler.sleep.seconds * 1000);
  } else if (handler.httpGet !== undefined) {
    const sent = podIpFor(context, pod, handler).then((ip) => hookRequest(handler, ip, container, pod));
    await sent.catch((error: unknown) => {
      throw new Error(
        `HTTP lifecycle hook (${handler.httpGet?.path}) for Container "${container.name}" in Pod ` +
          `"${formatPod(pod)}" failed - error: ${errorText(error)}`,
      );
    });
  } else {
    throw new Error(`Cannot run handler: invalid handler: ${JSON.stringify(handler)}`);
  }
}

/** If the hook names no host, asks the runtime for the pod's current address. */
async function podIpFor(
  { client, files, version, clock }: RuntimeContext,
  { metadata: { uid } }: Pod,
  { httpGet }: Handler,
): Promise<string | undefined> {
  if (httpGet?.host) return undefined;
  const listed = (await listPods(client, { uid }).catch(failing('unable to get pod'))).get(uid);
  if (listed === undefined) throw new Error(`unable to get pod${INVALID}: pod sandboxes not found`);
  const inspection = inspectionOf(client, files, version);
  const { ips } = await getPodStatus(listed, clock.now(), inspection).catch(
    failing('unable to get pod status'),
  );
  if (ips[0] === undefined) throw new Error('failed to find networking container');
  return ips[0];
}

const INVALID = ', event handlers may be invalid';

const failing =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}${INVALID}: ${errorText(error)}`);
  };

async function runCommand(
  { client }: RuntimeContext,
  pod: Pod,
  container: ContainerSpec,
  containerId: string,
  command: readonly string[],
): Promise<void> {
  const failed = (error: string, output: string) =>
    new Error(
      `Exec lifecycle hook ([${command.join(' ')}]) for Container "${container.name}" in Pod ` +
        `"${formatPod(pod)}" failed - error: ${error}, message: ${JSON.stringify(output)}`,
    );
  let reply: Awaited<ReturnType<typeof client.execSync>>;
  try {
    reply = await client.execSync(containerId, command, 0);
  } catch (error) {
    const isLate = isDeadlineExceeded(error);
    throw failed(
      isLate ? `command timed out: "${command.join(' ')}" timed out after 0s` : errorText(error),
      '',
    );
  }
  if (reply.exitCode === 0) return;
  const output = `${reply.stdout}${reply.stderr}`;
  throw failed(`command '${command.join(' ')}' exited with ${reply.exitCode}: ${reply.stderr}`, output);
}
