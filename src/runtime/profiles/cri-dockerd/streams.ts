import type { CriService } from '../../../cri/service.js';

type Streams = Pick<CriService, 'exec' | 'attach' | 'portForward'>;

/** cri-dockerd's stream URLs lack `http:` and begin with `/cri/` (streaming/server.go). */
export const schemeless = (engine: CriService): Streams => ({
  exec: async (request, call) => shown(await engine.exec(request, call)),
  attach: async (request, call) => shown(await engine.attach(request, call)),
  portForward: async (request, call) => shown(await engine.portForward(request, call)),
});

const shown = <T extends { readonly url: string } | Buffer>(reply: T): T =>
  Buffer.isBuffer(reply) ? reply : { ...reply, url: reply.url.replace(/^https?:(\/\/[^/]+)/, '$1/cri') };
