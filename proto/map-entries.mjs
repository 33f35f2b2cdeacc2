import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Part of `npm run gen`: has the generated code set entries of maps with setEntry, which keeps those named __proto__.
// map-entries.mjs [DIRECTORY]: the directory that has the generated code; default: the working directory.

const assignment = /^( +)((?:message|obj)\.\w+|acc)\[(entry\d+\.key|key|k)\] = (.+);$/gm;
const imports = 'import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";\n';

keepNames('src/cri/gen/runtime/v1/api.ts', '../../../map-entry.js');
keepNames('src/runtime/nri/gen/nri/v1alpha1/api.ts', '../../../../../cri/map-entry.js');

function keepNames(path, from) {
  const file = join(process.argv[2] ?? '.', path);
  const code = readFileSync(file, 'utf8').replace(assignment, '$1setEntry($2, $3, $4);');
  writeFileSync(file, code.replace(imports, `${imports}import { setEntry } from "${from}";\n`));
}
