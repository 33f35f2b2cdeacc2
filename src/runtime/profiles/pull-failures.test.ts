import { expect, test } from 'vitest';
import { CriError, pullFailures } from '../../cri/errors.js';
import { runtimeProfiles } from './index.js';

const image = '127.0.0.1:40803/app/x:1';

/** What a profile answers to a pull that fails. */
const answers = (profile: 'containerd-2.4' | 'cri-o-1.36', reason?: string) =>
  Object.fromEntries(
    pullFailures.map((failure) => {
      const problem = { name: 'failed-pull', failure, image, ...(reason && { reason }) } as const;
      const { code, text } =
        runtimeProfiles[profile]?.answer('PullImage', new CriError('internal', '', { problem }), {}, 0n) ??
        {};
      return [failure, `${code} ${text}`];
    }),
  );

/** As containerd 2.4.2 says it of a registry on that port. */
test('containerd wraps every failure', () => {
  const failed = `failed to pull and unpack image "${image}": `;
  const resolving = `${failed}failed to resolve reference "${image}": `;
  expect(answers('containerd-2.4', 'illegal base64 data at input byte 0')).toMatchObject({
    absent: `NOT_FOUND ${resolving}${image}: not found`,
    denied: `UNKNOWN ${resolving}unexpected status from HEAD request to https://127.0.0.1:40803/v2/app/x/manifests/1: 403 Forbidden`,
    unauthorized: `UNKNOWN ${resolving}pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`,
    'malformed-credentials': `UNKNOWN ${resolving}illegal base64 data at input byte 0`,
    unreachable: `UNKNOWN ${resolving}failed to do request: Head "https://127.0.0.1:40803/v2/app/x/manifests/1": dial tcp 127.0.0.1:40803: connect: connection refused`,
    signature: expect.stringMatching(/ with digest sha256:[0-9a-f]{64} for reason: .*no signature$/),
    'too-many-requests': `UNKNOWN ${resolving}unexpected status from HEAD request to https://127.0.0.1:40803/v2/app/x/manifests/1: 429 Too Many Requests`,
    'wrong-platform': `NOT_FOUND ${failed}no match for platform in manifest: not found`,
  });
});

test('CRI-O begins with the errors that the kubelet knows', () => {
  const { unreachable, signature, absent } = answers('cri-o-1.36');
  expect(unreachable).toMatch(/^UNKNOWN RegistryUnavailable: .*connection refused$/);
  expect(signature).toMatch(/^UNKNOWN SignatureValidationFailed: .*A signature was required/);
  expect(absent).toMatch(/reading manifest 1 in 127\.0\.0\.1:40803\/app\/x: manifest unknown$/);
});
