/** Writes a finding of a scenario on a kubelet program, as `mockri explore` does: write-finding.ts FILE VERSION DIRECTORY. Prints it as JSON. */

import { kubeletProgram } from '../../../../src/kubelet/hosts/virtual/kubelet-program.js';
import { writeFinding } from '../../../../src/lab/explore/report/write.js';
import { kindOf } from '../../../../src/lab/explore/run/finding.js';
import { loadScenario } from '../../../../src/lab/scenario/file/load.js';

const [file = '', name = '', directory = ''] = process.argv.slice(2);
const scenario = await loadScenario(file);
const finding = { rule: 'expectation', pod: '', message: 'unmet', expect: scenario.expect, schedule: [] };
const program = { path: kubeletProgram(name, 'VERSION').path, name };
const explored = { kind: kindOf(finding), finding, scenario };
const { entries: _, ...written } = await writeFinding(explored, { directory, recorder: 'mockri', program });
console.log(JSON.stringify(written));
