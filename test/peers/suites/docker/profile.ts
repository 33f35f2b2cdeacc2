import { connectCri } from '../../../../src/cri/client/connect.js';
import { readMeasurement } from '../../../support/profiles/measurement.js';
import { answerOf, cleanUp, createPodFixture, IMAGE } from '../../../support/profiles/pod-fixture.js';
import { probes } from '../../../support/profiles/probes.js';

/**
 * profile.ts ENDPOINT PROFILE: sends a server with the Docker backend the requests that a runtime got, and compares the
 * replies with the measured ones of the runtime.
 */

/** Replies that only Docker or only containerd can give. */
const DOCKERS: Readonly<Record<string, string>> = {
  'StartContainer of an absent program': 'the text of Docker',
  'ExecSync of an absent program': 'the text of Docker',
};

const [endpoint = '', profile = ''] = process.argv.slice(2);
const { answers } = readMeasurement(profile);
const cri = connectCri(endpoint);
await cri.waitForReady(5000);
let compared = 0;
let problems = 0;
for (const [index, [what, probe]] of Object.entries(probes).entries()) {
  await cri.pullImage({ image: IMAGE });
  const answer = await answerOf(probe(createPodFixture(cri, `probe-${index}`)));
  await cleanUp(cri);
  if (what in DOCKERS) continue;
  compared++;
  if (answer === answers[what]) continue;
  problems++;
  console.error(`${what}:\n  ${answer}\n  measured: ${answers[what]}`);
}
cri.close();
console.log(`${compared} answers of the Docker backend as ${profile}, ${problems} other than measured`);
process.exit(problems === 0 ? 0 : 1);
