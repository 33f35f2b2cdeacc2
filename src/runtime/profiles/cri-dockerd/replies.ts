import type { Clock } from '../../../base/clock/clock.js';
import { StatusError } from '../../../cri/errors.js';
import type { Layer } from '../../../cri/layer.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { containerStatusOf } from '../statuses.js';
import { conflicting } from './conflicts.js';
import { crashing } from './crashes.js';
import { noReopen } from './errors.js';
import { execSync } from './exec-sync.js';
import { dockerImages } from './images.js';
import { linked } from './log-link.js';
import { dockerReads } from './reads.js';
import { removals } from './removals.js';
import { schemeless } from './streams.js';
import { uncancelled } from './uncancelled.js';

/** Replies in which cri-dockerd differs from the engine. */
export const criDockerdReplies =
  (clock: Clock): Layer =>
  (given) => {
    const engine = uncancelled(given);
    const service: CriService = {
      ...engine,
      ...conflicting(engine),
      ...dockerImages(engine),
      ...dockerReads(engine, clock),
      ...schemeless(engine),
      startContainer: linked(engine),
      execSync: execSync(engine),
      stopContainer: async (request, call) => {
        // Throws for an unknown container.
        await containerStatusOf(engine, request.containerId, call);
        return engine.stopContainer(request, call);
      },
      ...removals(engine),
      reopenContainerLog: () => {
        const { code, text } = noReopen();
        throw new StatusError(Code[code], text);
      },
    };
    return { ...service, ...crashing(service) };
  };
