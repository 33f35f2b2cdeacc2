import type {
  Image,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesRequest,
  ListImagesResponse,
  PullImageResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import { parseImageReference } from '../../../cri/image-reference.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { askedKey, createImageMemory, type ImageMemory, keyOf, namesOf } from './image-memory.js';

const CHANGES = /^(Pull|Remove)Image$/;

export function watchImages(findings: Findings): Watcher {
  const memory = createImageMemory();
  return {
    called: (open) => {
      if (CHANGES.test(open.call.method)) memory.begin(open);
    },
    answered: (exchange) => {
      const { method, replyLine } = exchange;
      if (CHANGES.test(method)) {
        memory.changing = Math.max(0, memory.changing - 1);
        memory.changedAt = replyLine;
      }
      if (method === 'PullImage') judgePull(exchange, memory, findings);
      else if (method === 'RemoveImage') learnRemoval(exchange, memory);
      else if (method === 'ImageStatus') judgeStatus(exchange, memory, findings);
      else if (method === 'ListImages') judgeList(exchange, memory, findings);
    },
    forget: memory.forget,
  };
}

function judgeStatus(
  { call, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall,
  memory: ImageMemory,
  findings: Findings,
): void {
  const { meanings, removed, isQuiet } = memory;
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
        `ImageStatus does not find ${name}, which is present`,
        [meaning.line, replyLine],
      );
    memory.remove(key, replyLine);
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
  judgeNames(image, callLine, replyLine, memory, findings);
  memory.learn(image, replyLine);
}

function judgeNames(
  image: Image,
  callLine: number,
  line: number,
  { byDigest, pulled }: ImageMemory,
  findings: Findings,
): void {
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
}

function judgeList(exchange: AnsweredCall, memory: ImageMemory, findings: Findings): void {
  const { call, reply, callLine, replyLine, isOk } = exchange;
  if (!isOk || reply.message === undefined) return;
  const { images } = reply.message.value<ListImagesResponse>();
  const wanted = call.message.value<ListImagesRequest>().filter?.image?.image ?? '';
  if (wanted !== '') {
    judgeFilter(exchange, images, wanted, findings);
    return;
  }
  const ids = new Set(images.map(({ id }) => id));
  judgeMissing(exchange, ids, memory, findings);
  const { changing, changedAt, listed } = memory;
  if (changing === 0 && listed !== undefined) compareLists(exchange, listed, ids, memory, findings);
  memory.listed = changing === 0 && changedAt < callLine ? { ids, line: replyLine } : undefined;
  for (const image of images) memory.learn(image, replyLine);
}

function judgeFilter(
  { callLine, replyLine, stream = 'ListImages' }: AnsweredCall,
  images: readonly Image[],
  wanted: string,
  findings: Findings,
): void {
  for (const image of images)
    if (!namesOf(image).includes(keyOf(wanted)))
      findings.add(
        'INV-19.images',
        image.id,
        `${stream} lists ${image.repoTags[0] ?? image.id}, which is not ${wanted}`,
        [callLine, replyLine],
      );
}

function judgeMissing(
  { callLine, replyLine, stream }: AnsweredCall,
  ids: ReadonlySet<string>,
  { meanings, isQuiet, namesMeaning }: ImageMemory,
  findings: Findings,
): void {
  for (const { id, line, isPulled } of new Set(meanings.values())) {
    if (ids.has(id) || line >= callLine || !isQuiet(line)) continue;
    const rule = stream ? `INV-20.${stream}` : isPulled ? 'INV-37.pull' : 'INV-37.remove';
    findings.add(rule, id, `${stream ?? 'ListImages'} lacks ${id}, which is present`, [line, replyLine]);
    for (const key of namesMeaning(id)) meanings.delete(key);
  }
}

function compareLists(
  { replyLine, stream = 'ListImages' }: AnsweredCall,
  listed: NonNullable<ImageMemory['listed']>,
  ids: ReadonlySet<string>,
  { failedPull, removed }: ImageMemory,
  findings: Findings,
): void {
  const made = [...ids].find((id) => !listed.ids.has(id));
  if (made !== undefined && failedPull > listed.line)
    findings.add('INV-40.absent', made, `${made} is listed after a pull that failed`, [
      listed.line,
      failedPull,
      replyLine,
    ]);
  const lost = [...listed.ids].find((id) => !ids.has(id) && !removed.has(keyOf(id)));
  if (lost !== undefined)
    findings.add('INV-37.remove', lost, `${stream} lacks ${lost}, which was not removed`, [
      listed.line,
      replyLine,
    ]);
}

function judgePull(
  { call, reply, replyLine, isOk, isOpenEnded }: AnsweredCall,
  memory: ImageMemory,
  findings: Findings,
): void {
  if (!isOk) {
    if (isOpenEnded) memory.listed = undefined;
    else memory.failedPull = replyLine;
    return;
  }
  memory.listed = undefined;
  const name = call.message.value<ImageStatusRequest>().image?.image ?? '';
  const key = keyOf(name);
  const id = reply.message?.value<PullImageResponse>().imageRef ?? '';
  if (parseImageReference(name) === undefined)
    findings.add('INV-38.invalid', key, `PullImage of "${name}", which is not a reference, is OK`, [
      replyLine,
    ]);
  const { removed, byDigest, meanings } = memory;
  if (name.includes('@') && removed.has(keyOf(id))) byDigest.set(id, replyLine);
  removed.delete(key);
  removed.delete(keyOf(id));
  meanings.set(key, { id, line: replyLine, isPulled: true });
}

function learnRemoval({ call, replyLine, isOk }: AnsweredCall, memory: ImageMemory): void {
  const { meanings, byDigest } = memory;
  const key = askedKey(call.message.value());
  const id = meanings.get(key)?.id ?? [...meanings.values()].find((one) => keyOf(one.id) === key)?.id;
  // A failed removal may be partial.
  for (const each of id === undefined ? [key] : [key, ...memory.namesMeaning(id)]) {
    meanings.delete(each);
    if (isOk) memory.remove(each, replyLine);
  }
  if (!isOk) memory.listed = undefined;
  if (id === undefined) return;
  if (isOk) memory.remove(keyOf(id), replyLine);
  byDigest.delete(id);
}
