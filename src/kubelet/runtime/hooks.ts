import { formatPod } from '../backoff/keys.js';
import type { ContainerSpec, Handler, Pod } from '../types.js';
import type { RuntimeContext } from './context.js';
import { errorText } from './errors.js';

/**
 * Runs a lifecycle hook to its end (lifecycle/handlers.go). Commands have no timeout of their own: cri-api ExecSync
 * with 0. Rejects with the text that becomes the container's waiting message.
 */
export async function runHook(
  context: RuntimeContext,
  pod: Pod,
  container: ContainerSpec,
  containerId: string,
  handler: Handler,
  podIp: string | undefined,
): Promise<void> {
  const { clock, hookRequest } = context;
  if (handler.exec !== undefined) {
    await runCommand(context, pod, container, containerId, handler.exec.command);
  } else if (handler.sleep !== undefined) {
    await clock.sleep(handler.sleep.seconds * 1000);
  } else if (handler.httpGet !== undefined) {
    await hookRequest(handler, podIp, container, pod).catch((error: unknown) => {
      throw new Error(
        `HTTP lifecycle hook (${handler.httpGet?.path}) for Container "${container.name}" in Pod ` +
          `"${formatPod(pod)}" failed - error: ${errorText(error)}`,
      );
    });
  } else {
    throw new Error(`Cannot run handler: invalid handler: ${JSON.stringify(handler)}`);
  }
}

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
    throw failed(errorText(error), '');
  }
  if (reply.exitCode === 0) return;
  const output = `${reply.stdout}${reply.stderr}`;
  throw failed(`command '${command.join(' ')}' exited with ${reply.exitCode}: ${reply.stderr}`, output);
}
