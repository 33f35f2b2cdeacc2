import { NotExecutedError, StatusError } from '../../../cri/errors.js';
import { ExecSyncResponse } from '../../../cri/gen/runtime/v1/api.js';
import { LARGEST_MESSAGE } from '../../../cri/limits.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';

/** The engine truncates output from this size on. */
const CUT = LARGEST_MESSAGE - 64;

type Request = Parameters<CriService['execSync']>[0];

/**
 * ExecSync: a command that can't be executed ends immediately, with the error as its output; too much output is an
 * error.
 */
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
    if (!(error instanceof NotExecutedError)) throw error;
    const { refusal } = error;
    const stdout = Buffer.from(`OCI runtime exec failed: ${refusal}: unknown\r\n`);
    return { stdout, stderr: Buffer.alloc(0), exitCode: exitCodeOf(refusal) };
  }
}

/** Docker derives it from runc's error. */
const exitCodeOf = (refusal: string): number => (/no such file|not found/.test(refusal) ? 127 : 126);
