import { runConformance } from '../../../src/suite/conformance/index.js';
import { startTestEndpoint } from '../test-endpoint.js';
import { recordCoverage } from './coverage-recorder.js';
import { fieldsPage, sentencesPage } from './pages.js';

/** `npm run api -- sentences` or `npm run api -- fields`: what the conformance suite checks of the API, as Markdown. */
async function fields(): Promise<string> {
  const { uses, recorder } = recordCoverage();
  const target = await startTestEndpoint();
  try {
    // One at a time: lists also have what other checks make.
    await runConformance({ ...target, parallel: 1, recorder });
  } finally {
    await target.close();
  }
  return fieldsPage(uses);
}

const [what] = process.argv.slice(2);
if (what === 'sentences') process.stdout.write(sentencesPage());
else if (what === 'fields') process.stdout.write(await fields());
else {
  process.stderr.write('expected sentences or fields\n');
  process.exitCode = 2;
}
