import { CriError, StatusError } from '../cri/errors.js';
import type { CriMethod } from '../cri/methods.js';
import type { CriService } from '../cri/service.js';
import { Code } from '../cri/status-code.js';
import { wrapService } from '../cri/wrap-service.js';
import type { RuntimeProfile } from './profile.js';

/** The engine's service as clients of the real runtime know it. */
export function applyProfile(profile: RuntimeProfile, engine: CriService): CriService {
  return wrapService(profile.replies(engine), {
    unary: (method, work) => async (request, call) => {
      refuseMissing(profile, method);
      try {
        return await work(request, call);
      } catch (error) {
        throw translate(profile, method, error, request);
      }
    },
    stream: (method, work) =>
      async function* (request, call) {
        refuseMissing(profile, method);
        try {
          yield* work(request, call);
        } catch (error) {
          throw translate(profile, method, error, request);
        }
      },
  });
}

function refuseMissing({ missing }: RuntimeProfile, { name }: CriMethod): void {
  const text = missing.get(name);
  if (text !== undefined) throw new StatusError(Code.UNIMPLEMENTED, text);
}

function translate(profile: RuntimeProfile, { name }: CriMethod, error: unknown, request: object): unknown {
  if (!(error instanceof CriError)) return error;
  const { code, text } = profile.answer(name, error, request);
  return new StatusError(Code[code], text, { cause: error });
}
