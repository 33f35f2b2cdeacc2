import type { ImageFsInfoResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

export function watchImageFs(findings: Findings): Watcher {
  const times = new Map<string, { readonly timestamp: bigint; readonly line: number }>();
  return {
    answered: ({ method, isOk, reply, replyLine }) => {
      if (method !== 'ImageFsInfo' || !isOk) return;
      const message = reply.message?.value<ImageFsInfoResponse>();
      const images = message?.imageFilesystems ?? [];
      const broken = (text: string, since = 0) =>
        findings.add('INV-41.fs-info', 'ImageFsInfo', text, [since, replyLine]);
      if (images.length === 0) broken('ImageFsInfo answers no file system');
      const all = [...images, ...(message?.containerFilesystems ?? [])];
      for (const [index, { fsId, timestamp }] of all.entries()) {
        const mountpoint = fsId?.mountpoint ?? '';
        // A runtime may measure one file system for images and, at another time, for containers.
        const key = `${index < images.length ? 'images' : 'containers'} ${mountpoint}`;
        const before = times.get(key);
        if (mountpoint === '') broken('ImageFsInfo answers a file system without a mountpoint');
        if (timestamp <= 0n) broken(`ImageFsInfo answers the time ${timestamp}`);
        else if (before !== undefined && timestamp < before.timestamp)
          broken(`the time of ImageFsInfo goes back from ${before.timestamp} to ${timestamp}`, before.line);
        times.set(key, { timestamp, line: replyLine });
      }
    },
    restsOn: ['times'],
    forget: () => times.clear(),
  };
}
