import { launch } from './browser.js';
import { checkFailure, checkFeatures, checkTapes, checkUnmet } from './features.js';
import { checkIncidents } from './incidents.js';
import { checkLive } from './live.js';
import { checkLoad } from './load.js';
import { checkNodes } from './nodes.js';
import { checkPictures } from './pictures.js';

const checks = {
  features: checkFeatures,
  tapes: checkTapes,
  nodes: checkNodes,
  failure: checkFailure,
  unmet: checkUnmet,
  live: checkLive,
  load: checkLoad,
  pictures: checkPictures,
  incidents: checkIncidents,
};
/** Checks, and names of incidents; everything by default. */
const names = process.argv.slice(2);
const incidents = names.filter((name) => !(name in checks));
const browser = await launch();
const done: string[] = [];
try {
  for (const [name, check] of Object.entries(checks)) {
    if (names.length > 0 && !names.includes(name)) continue;
    done.push(await check(browser, incidents));
    process.stderr.write(`${done.at(-1)}\n`);
  }
} finally {
  await browser.close();
}
process.stdout.write(`Chromium ${browser.version()}: ${done.join('; ')}\n`);
process.exit(0);
