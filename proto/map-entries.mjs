import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Part of `npm run gen`: has the generated code set entries of maps with setEntry, which keeps those named __proto__.
// map-entries.mjs [DIRECTORY]: the directory that has src/cri/gen; default: the working directory.

const file = join(process.argv[2] ?? '.', 'src/cri/gen/runtime/v1/api.ts');
const assignment = /^( +)((?:message|obj)\.\w+|acc)\[(entry\d+\.key|key|k)\] = (.+);$/gm;
const code = readFileSync(file, 'utf8').replace(assignment, '$1setEntry($2, $3, $4);');
const imports = 'import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";\n';
writeFileSync(file, code.replace(imports, `${imports}import { setEntry } from "../../../map-entry.js";\n`));
