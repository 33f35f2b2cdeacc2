import { expect, test } from 'vitest';
import { createFakeApi } from '../../../test/support/cluster/fake-api.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { nodeSubject } from './node-identities.js';
import { createSigner, type SignerName } from './signer.js';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

test.each<[SignerName, string]>([
  ['kubernetes.io/kube-apiserver-client-kubelet', '--identity account'],
  ['kubernetes.io/kubelet-serving', '--kubelet-certificate self-signed'],
])('a request to %s that is approved and not issued names %s after 30 s', async (signerName, option) => {
  const clock = createVirtualClock();
  const { client, ...api } = createFakeApi(clock);
  const ended = new AbortController();
  const log: string[] = [];
  const signer = createSigner({
    account: client,
    clock,
    random: createRandom(1),
    signal: ended.signal,
    log: (message) => log.push(message),
  });
  void clock.run(() => signer.sign({ as: client, subject: nodeSubject('mock-1', ['10.0.0.1']), signerName }));
  await clock.advance(29_000);
  // The account has approved it.
  expect(api.all(REQUESTS)[0]?.status.conditions).toMatchObject([{ type: 'Approved' }]);
  expect(log).toEqual([]);
  await clock.advance(2000);
  expect(log).toEqual([
    expect.stringMatching(
      new RegExp(
        `^CertificateSigningRequest \\S+ is approved but not issued: .*${signerName}\\? ${option} does without$`,
      ),
    ),
  ]);
  ended.abort();
});
