import type { CommandTable, Programs } from '../programs.js';
import { agnhostPrograms } from './agnhost.js';
import { httpdPrograms } from './httpd.js';
import { nginxPrograms } from './nginx.js';
import { nnpPrograms } from './nnp.js';
import { pausePrograms } from './pause.js';

export const imagePrograms = (programs: Programs): CommandTable => ({
  ...agnhostPrograms(programs),
  ...httpdPrograms,
  ...nginxPrograms,
  ...nnpPrograms,
  ...pausePrograms,
});
