import { StatusError } from '../../cri/errors.js';
import { ExecSyncResponse } from '../../cri/gen/runtime/v1/api.js';
import { LARGEST_MESSAGE } from '../../cri/limits.js';
import type { Call, CriService } from '../../cri/service.js';
import { Code } from '../../cri/status-code.js';
import { decoded } from '../decoded.js';

/** Where containerd's text of a command that can't be executed begins to be Docker's. */
const START = 'OCI runtime exec failed: ';

/** Output from this size on is cut by the engine. */
const CUT = LARGEST_MESSAGE - 64;

type Request = Parameters<CriService['execSync']>[0];

/** ExecSync: a command that can't be executed ends at once, with the error as its output; too much output is an error. */
export const execSync =
  (engine: CriService): CriService['execSync'] =>
  async (request, call) => {
    const reply = await executed(engine, request, call);
    if (reply.stdout.length + reply.stderr.length >= CUT) throw new StatusError(Code.UNKNOWN, 'short write');
    return reply;
  };

async function executed(engine: CriService, request: Request, call: Call): Promise<ExecSyncResponse> {
  try {
    return decoded(ExecSyncResponse, await engine.execSync(request, call));
  } catch (error) {
    if (!(error instanceof StatusError && error.message.includes(START))) throw error;
    const text = error.message.slice(error.message.indexOf(START));
    const exitCode = /no such file|not found/.test(text) ? 127 : 126;
    return { stdout: Buffer.from(`${text}: unknown\r\n`), stderr: Buffer.alloc(0), exitCode };
  }
}
