import type {
  Image,
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesRequest,
  ListImagesResponse,
  PullImageResponse,
} from '../../cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../cri/image-reference.js';
import type { AnsweredCall, OpenCall, Watcher } from '../conversation/watcher.js';
import type { Findings } from '../finding.js';

/** What a name was seen to mean. */
interface Meaning {
  readonly id: string;
  readonly line: number;
  /** Whether a pull said so. */
  readonly isPulled: boolean;
}

/** Names that are remembered. */
const MOST = 5000;

/** The form in which names of images are compared: ids as they are, references with registry and tag. */
const keyOf = (name: string): string => {
  const reference = parseImageReference(name);
  if (reference === undefined || /^sha256:[0-9a-f]{64}$/.test(name)) return name.replace(/^sha256:/, '');
  return formatImageReference(reference);
};

const namesOf = ({ id, repoTags, repoDigests }: Image): string[] =>
  [id, ...repoTags, ...repoDigests].map(keyOf);

/** Checks images against their rules (INV-19.images, INV-36 to INV-41). */
export function watchImages(findings: Findings): Watcher {
  /** What each name means, and the line from which a name means nothing. */
  const meanings = new Map<string, Meaning>();
  const removed = new Map<string, number>();
  /** Names that were asked for in a pull, whatever came of it. */
  const pulled = new Set<string>();
  /** Images that were absent before they were pulled by digest only. */
  const byDigest = new Map<string, number>();
  /** Ids in the last whole list, while no pull has succeeded since. */
  let listed: { readonly ids: ReadonlySet<string>; readonly line: number } | undefined;
  let failedPull = 0;
  const times = new Map<string, { readonly timestamp: bigint; readonly line: number }>();
  let changing = 0;
  let changedAt = 0;
  const isQuiet = (since: number) => changing === 0 && changedAt <= since;

  const learn = (image: Image, line: number) => {
    for (const key of namesOf(image)) {
      removed.delete(key);
      meanings.set(key, { id: image.id, line, isPulled: false });
    }
    for (const oldest of meanings.keys()) {
      if (meanings.size <= MOST) break;
      meanings.delete(oldest);
    }
  };
  const namesMeaning = (id: string) => [...meanings].filter(([, one]) => one.id === id).map(([key]) => key);

  const status = ({ call, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall) => {
    const name = call.message.value<ImageStatusRequest>().image?.image ?? '';
    const key = keyOf(name);
    if (!isOk) {
      if (!isOpenEnded && reply.code === 'NOT_FOUND')
        findings.add(
          'INV-40.absent',
          key,
          `ImageStatus of ${name} answers NOT_FOUND, not OK without an image`,
          [replyLine],
        );
      return;
    }
    const { image } = reply.message?.value<ImageStatusResponse>() ?? {};
    const meaning = meanings.get(key);
    if (image === undefined) {
      if (meaning !== undefined && isQuiet(meaning.line))
        findings.add(
          meaning.isPulled ? 'INV-37.pull' : 'INV-38.normal-form',
          key,
          `ImageStatus does not find ${name}, which is there`,
          [meaning.line, replyLine],
        );
      removed.set(key, replyLine);
      return;
    }
    const gone = removed.get(key);
    if (gone !== undefined && isQuiet(gone))
      findings.add('INV-37.remove', key, `ImageStatus finds ${name}, which is not there`, [gone, replyLine]);
    if (image.id === '' || image.size === 0n)
      findings.add('INV-37.pull', key, `${name} has the id "${image.id}" and the size ${image.size}`, [
        replyLine,
      ]);
    if (meaning !== undefined && meaning.id !== image.id && isQuiet(meaning.line))
      findings.add(
        meaning.isPulled ? 'INV-36.one-id' : 'INV-38.normal-form',
        key,
        `${name} is ${meaning.id}, and then ${image.id}`,
        [meaning.line, replyLine],
      );
    judgeNames(image, callLine, replyLine);
    learn(image, replyLine);
  };

  const judgeNames = (image: Image, callLine: number, line: number) => {
    for (const tag of image.repoTags)
      if (!/:[^/:]+$/.test(tag) || tag.includes('@'))
        findings.add('INV-38.normal-form', image.id, `repo_tags has "${tag}", which has no tag`, [line]);
    for (const digest of image.repoDigests)
      if (digest.split('@').length !== 2)
        findings.add('INV-38.normal-form', image.id, `repo_digests has "${digest}"`, [line]);
    const since = byDigest.get(image.id);
    const made = image.repoTags.find((tag) => !pulled.has(keyOf(tag)));
    if (since !== undefined && since < callLine && made !== undefined)
      findings.add('INV-39.digest', image.id, `an image that was pulled by digest has the tag ${made}`, [
        since,
        line,
      ]);
  };

  const list = ({ call, reply, callLine, replyLine, stream, isOk }: AnsweredCall) => {
    if (!isOk || reply.message === undefined) return;
    const wanted = call.message.value<ListImagesRequest>().filter?.image?.image ?? '';
    const { images } = reply.message.value<ListImagesResponse>();
    const method = stream ?? 'ListImages';
    if (wanted !== '') {
      for (const image of images)
        if (!namesOf(image).includes(keyOf(wanted)))
          findings.add(
            'INV-19.images',
            image.id,
            `${method} lists ${image.repoTags[0] ?? image.id}, which is not ${wanted}`,
            [callLine, replyLine],
          );
      return;
    }
    const ids = new Set(images.map(({ id }) => id));
    for (const { id, line, isPulled } of new Set(meanings.values()))
      if (!ids.has(id) && line < callLine && isQuiet(line)) missing(id, isPulled, line, replyLine, stream);
    if (changing === 0 && listed !== undefined) {
      const made = [...ids].find((id) => !listed?.ids.has(id));
      if (made !== undefined && failedPull > listed.line)
        findings.add('INV-40.absent', made, `${made} is listed after a pull that failed`, [
          listed.line,
          failedPull,
          replyLine,
        ]);
      const lost = [...listed.ids].find((id) => !ids.has(id) && !removed.has(keyOf(id)));
      if (lost !== undefined)
        findings.add('INV-37.remove', lost, `${method} lacks ${lost}, which nobody has removed`, [
          listed.line,
          replyLine,
        ]);
    }
    listed = changing === 0 && changedAt < callLine ? { ids, line: replyLine } : undefined;
    for (const image of images) learn(image, replyLine);
  };
  const missing = (
    id: string,
    isPulled: boolean,
    since: number,
    line: number,
    stream: string | undefined,
  ) => {
    const rule = stream ? `INV-20.${stream}` : isPulled ? 'INV-37.pull' : 'INV-37.remove';
    findings.add(rule, id, `${stream ?? 'ListImages'} lacks ${id}, which is there`, [since, line]);
    for (const key of namesMeaning(id)) meanings.delete(key);
  };

  const changed = ({ method, call, reply, replyLine, isOk, isOpenEnded }: AnsweredCall) => {
    changing = Math.max(0, changing - 1);
    changedAt = replyLine;
    const name = call.message.value<ImageStatusRequest>().image?.image ?? '';
    const key = keyOf(name);
    const meaning = meanings.get(key);
    if (method === 'PullImage') {
      if (!isOk) {
        if (isOpenEnded) listed = undefined;
        else failedPull = replyLine;
        return;
      }
      listed = undefined;
      const id = reply.message?.value<PullImageResponse>().imageRef ?? '';
      if (parseImageReference(name) === undefined)
        findings.add('INV-38.invalid', key, `PullImage of "${name}", which is no reference, is OK`, [
          replyLine,
        ]);
      if (name.includes('@') && removed.has(keyOf(id))) byDigest.set(id, replyLine);
      removed.delete(key);
      removed.delete(keyOf(id));
      meanings.set(key, { id, line: replyLine, isPulled: true });
      return;
    }
    const id = meaning?.id ?? [...meanings.values()].find((one) => keyOf(one.id) === key)?.id;
    const keys = id === undefined ? [key] : [key, ...namesMeaning(id)];
    for (const each of keys) {
      meanings.delete(each);
      // An image that is not removed may still be removed in part.
      if (isOk) removed.set(each, replyLine);
    }
    if (!isOk) listed = undefined;
    if (id !== undefined) {
      if (isOk) removed.set(keyOf(id), replyLine);
      byDigest.delete(id);
    }
    for (const oldest of removed.keys()) {
      if (removed.size <= MOST) break;
      removed.delete(oldest);
    }
  };

  const fsInfo = ({ reply, replyLine }: AnsweredCall) => {
    const { imageFilesystems: all } = reply.message?.value<ImageFsInfoResponse>() ?? { imageFilesystems: [] };
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
  };

  const changes = (method: string) => method === 'PullImage' || method === 'RemoveImage';
  return {
    called: ({ call, line }: OpenCall) => {
      if (!changes(call.method)) return;
      changing++;
      changedAt = line;
      if (call.method === 'PullImage')
        pulled.add(keyOf(call.message.value<ImageStatusRequest>().image?.image ?? ''));
    },
    answered: (exchange) => {
      const { method, isOk } = exchange;
      if (changes(method)) changed(exchange);
      else if (method === 'ImageStatus') status(exchange);
      else if (method === 'ListImages') list(exchange);
      else if (method === 'ImageFsInfo' && isOk) fsInfo(exchange);
    },
    forget: () => {
      for (const each of [meanings, removed, pulled, byDigest, times]) each.clear();
      listed = undefined;
    },
  };
}
