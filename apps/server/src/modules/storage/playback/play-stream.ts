import { Readable } from 'node:stream'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { playbackStream as calls } from '@oms/contract/storage/app.ts'
import { HttpError } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { planSend } from '#core/storage/send.ts'
import { runInTenant } from '#core/tenancy/tenancy.ts'
import { formatLocalDay, formatZonedIso } from '#core/time/zone.ts'
import { renderHlsPlaylist, splitByFormat } from '../video/playlist.ts'
import {
  findContentType,
  findExtension,
  SEGMENT_FORMAT,
  type SegmentFormat,
  type SegmentKey,
  formatObjectKey,
  formatSalt,
} from '../video/segment.ts'
import { type PlayToken, readPlayToken } from './play-token.ts'
import { MAX_SEGMENT_MS, type Recording, listRecordings } from './recordings.ts'

// Players read only the HTTP status.
const addressExpired = () => new HttpError(410, '播放地址已失效，请重新获取')
const noRecordings = () => new HttpError(404, '该时间段没有录像')
const storageOver = () => new HttpError(404, '录像已过保存期')

const FORMAT_BY_EXTENSION: Readonly<Record<string, SegmentFormat>> = {
  ts: SEGMENT_FORMAT.ts,
  mp4: SEGMENT_FORMAT.fmp4,
  jpg: SEGMENT_FORMAT.jpg,
}

/** Returns the format of a file name that the contract accepted. */
const formatOf = (file: string): SegmentFormat => FORMAT_BY_EXTENSION[file.split('.')[1] ?? ''] ?? SEGMENT_FORMAT.ts

/** Name of a segment's file in a playlist. Server and token complete it to the object key. */
export const formatFileName = ({
  expireDay,
  startMs,
  salt,
  format,
}: Pick<Recording, 'expireDay' | 'startMs' | 'salt' | 'format'>) =>
  `${expireDay.replaceAll('-', '')}-${startMs}-${formatSalt(salt)}.${findExtension(format)}`

interface PlayFile extends SegmentKey {
  readonly objectKey: string
}

/** Returns the recording of a file name, for the device and the range of a token. */
function parsePlayFile({ deviceId, channel, begin, end }: PlayToken, file: string): PlayFile | undefined {
  const [, expire = '', start = '', salt = '', extension = ''] =
    /^(\d{8})-(\d{12,14})-([0-9a-f]{8})\.(ts|mp4|jpg)$/.exec(file) ?? []
  const startMs = Number(start)
  if (extension === '' || startMs >= end || startMs <= begin - MAX_SEGMENT_MS) return undefined
  const expireDay = `${expire.slice(0, 4)}-${expire.slice(4, 6)}-${expire.slice(6)}`
  if (!isCalendarDay(expireDay)) return undefined
  const key = { expireDay, deviceId, channel, startMs, salt: Number.parseInt(salt, 16) | 0, format: formatOf(file) }
  return { ...key, objectKey: formatObjectKey(key) }
}

/** False for a day that no calendar has, such as 2026-02-30. */
function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(day)
}

/** Headers that prevent script execution and the Referer header. */
const RECORDING_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
} as const

/** Sends the playlist or a recording of a play address. A recording needs no query. */
export async function sendPlayFile(ctx: PublicCtx, input: ParsedOf<typeof calls.file>): Promise<StreamResponse> {
  const { services } = ctx
  const now = ctx.now.getTime()
  const permit = readPlayToken(services.config.secretKey, input.token, now)
  if (!permit || !(await services.playGuard.isAllowed(permit, now))) throw addressExpired()
  if (input.file === 'index.m3u8') return sendPlaylist(ctx, permit)
  const file = parsePlayFile(permit, input.file)
  if (!file) throw noRecordings()
  // A deleted recording keeps its object until the next run of the job that removes the object.
  if (file.expireDay <= formatLocalDay(now, services.config.timeZone)) throw storageOver()
  const played = { channel: permit.channel, startMs: file.startMs }
  if (await services.playGuard.isDeleted(permit, played, now)) throw noRecordings()
  return sendRecording(ctx, permit, file, input.file)
}

async function sendPlaylist({ services, now }: PublicCtx, permit: PlayToken): Promise<StreamResponse> {
  const zone = services.config.timeZone
  const rows = await runInTenant(services.database, permit.tenantId, (db) =>
    listRecordings(db, permit, { zone, now: now.getTime() }),
  )
  if (rows.length === 0) throw noRecordings()
  const text = renderHlsPlaylist(
    splitByFormat(rows, permit.begin).rows.map((row) => ({ ...row, uri: formatFileName(row) })),
    (ms) => formatZonedIso(ms, zone),
  )
  return (_request, reply) =>
    reply
      .headers({ ...RECORDING_HEADERS, 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-store' })
      .send(text)
}

/**
 * Seconds for which the address of a recording in a bucket is valid. Players follow the redirect at once, and a store
 * checks the time only when a download begins. A store cannot revoke an address, so the address must end soon after
 * unbinding, deletion and the end of a session.
 */
const BUCKET_SECONDS = 60

/** Sends the bytes of a recording. Apps are redirected to a bucket; pages of the console may only call this server. */
async function sendRecording(
  { services, now }: PublicCtx,
  permit: PlayToken,
  file: PlayFile,
  name: string,
): Promise<StreamResponse> {
  const { media } = services.videos
  const isView = permit.consentId !== 0
  if (media.kind === 's3' && !isView) {
    const url = media.getUrl(file.objectKey, { seconds: BUCKET_SECONDS, now: now.getTime() })
    return (_request, reply) => reply.headers({ ...RECORDING_HEADERS, 'cache-control': 'no-store' }).redirect(url, 302)
  }
  const found = await media.peek(file.objectKey, 0)
  if (!found) throw noRecordings()
  const mime = findContentType(file.format)
  return async (request, reply) => {
    const plan = planSend(request, { sha256: name, size: found.size, name, mime })
    const body = plan.range ? await media.openRead(file.objectKey, plan.range) : undefined
    const { 'cross-origin-resource-policy': _policy, ...headers } = plan.headers
    // A deleted recording must not stay in a cache for long.
    reply
      .code(plan.status)
      .headers({ ...headers, ...RECORDING_HEADERS, 'cache-control': isView ? 'no-store' : 'private, max-age=600' })
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : body)
  }
}
