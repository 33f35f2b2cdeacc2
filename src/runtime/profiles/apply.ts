import type { Clock } from '../../base/clock/clock.js';
import { CriError, StatusError } from '../../cri/errors.js';
import { KUBELET_API_VERSION } from '../../cri/kubelet-api-version.js';
import type { CriMethod } from '../../cri/methods.js';
import type { CriService } from '../../cri/service.js';
import { Code } from '../../cri/status-code.js';
import { wrapService } from '../../cri/wrap-service.js';
import type { RuntimeProfile } from './profile.js';
import { withIds } from './unmade-id.js';

export function applyProfile(
  profile: RuntimeProfile,
  engine: CriService,
  clock: Clock,
  newId: () => string,
  streamItems: number,
): CriService {
  const translate = (method: CriMethod, error: unknown, request: object) =>
    withIds(translated(profile, method, error, request, clock.now()), newId);
  const { name: runtimeName, version: runtimeVersion } = profile.runtime;
  const version = { version: KUBELET_API_VERSION, runtimeName, runtimeVersion, runtimeApiVersion: 'v1' };
  const replies = profile.replies(clock, streamItems)(engine);
  return wrapService(
    { ...replies, version: () => version },
    {
      unary: (method, work) => async (request, call) => {
        refuseMissing(profile, method);
        try {
          return await work(request, call);
        } catch (error) {
          throw translate(method, error, request);
        }
      },
      stream: (method, work) =>
        async function* (request, call) {
          refuseMissing(profile, method);
          try {
            yield* work(request, call);
          } catch (error) {
            throw translate(method, error, request);
          }
        },
    },
  );
}

function refuseMissing({ missing }: RuntimeProfile, { name }: CriMethod): void {
  const text = missing.get(name);
  if (text !== undefined) throw new StatusError(Code.UNIMPLEMENTED, text);
}

function translated(
  profile: RuntimeProfile,
  { name }: CriMethod,
  error: unknown,
  request: object,
  now: bigint,
): unknown {
  if (!(error instanceof CriError)) return error;
  const { code, text } = profile.answer(name, error, request, now);
  return new StatusError(Code[code], text, { cause: error });
}
