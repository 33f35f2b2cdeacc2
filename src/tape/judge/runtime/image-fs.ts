import type { ImageFsInfoResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

export function watchImageFs(findings: Findings): Watcher {
  const times = new Map<string, { readonly timestamp: bigint; readonly line: number }>();
  return {
    answered: ({ method, isOk, reply, replyLine }) => {
      if (method !== 'ImageFsInfo' || !isOk) return;
      const { imageFilesystems: all } = reply.message?.value<ImageFsInfoResponse>() ?? {
        imageFilesystems: [],
      };
      const broken = (text: string, since = 0) =>
        findings.add('INV-41.fs-info', 'ImageFsInfo', text, [since, replyLine]);
      if (all.length === 0) broken('ImageFsInfo answers no file system');
      for (const { fsId, timestamp } of all) {
        const mountpoint = fsId?.mountpoint ?? '';
        const before = times.get(mountpoint);
        if (mountpoint === '') broken('ImageFsInfo answers a file system without a mountpoint');
        if (timestamp <= 0n) broken(`ImageFsInfo answers the time ${timestamp}`);
        else if (before !== undefined && timestamp < before.timestamp)
          broken(`the time of ImageFsInfo goes back from ${before.timestamp} to ${timestamp}`, before.line);
        times.set(mountpoint, { timestamp, line: replyLine });
      }
    },
    restsOn: ['times'],
    forget: () => times.clear(),
  };
}
