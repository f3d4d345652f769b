import { createHmac, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { APP_TOKEN_HEADER } from '@oms/contract/storage/app.ts'
import { sql } from 'drizzle-orm'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { computeSegmentDays, formatObjectKey, SEGMENT_FORMAT } from '../video/recordings/segment.ts'
import { ossDeviceDays, ossSegments } from '../schema-video.ts'
import type { Caller, useApp } from '#test/harness.ts'
import { buildSignedText } from './app-session.ts'

const URL = '/api/v1/oss'
export const FIXTURE_TIME_ZONE = 'Asia/Shanghai'

/** True when a call returned at least one row. */
export const hasRows = ({ code, data }: { code: number; data: { list?: unknown[] } }) =>
  code === 200 && data.list!.length > 0

interface SessionRequest {
  keyId: string
  account: string
  ttl: number
  nonce: string
  time: number
}
interface Key {
  readonly id: number
  readonly keyId: string
  readonly secret: string
}

/** Returns a session request of an App's back end; `given` replaces fields before the signature. */
export function buildSignedRequest(key: Key, given: Partial<SessionRequest> = {}, secret = key.secret) {
  const time = Math.floor(Date.now() / 1000)
  const sent = { keyId: key.keyId, account: 'wang', ttl: 900, nonce: randomUUID(), time, ...given }
  return { ...sent, sign: createHmac('sha256', secret).update(buildSignedText(sent)).digest('hex') }
}

/** Returns a caller with the token of an App session. */
export function callWithToken(stranger: Caller, token: string) {
  const headers = { [APP_TOKEN_HEADER]: token }
  return async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
    (await stranger.inject({ method, url: `${URL}/app/${path}`, headers, ...(payload && { payload }) })).json()
}

/** Returns functions that create App accounts, devices and recordings on the test server of the calling file. */
export function usePlayback(app: ReturnType<typeof useApp>) {
  let made = 0
  const stranger = () => app.stranger()

  async function addKey(admin: Caller): Promise<Key> {
    made += 1
    return (await admin.call('POST', `${URL}/appkey`, { keyName: `密钥${made}` })).data
  }
  async function addAccount(tenantId: number, account: string) {
    const { rows } = await app.db.execute<{ uid: number }>(
      sql`insert into app_accounts (tenant_id, account) values (${tenantId}, ${account}) returning uid`,
    )
    return rows[0]!.uid
  }
  async function addCamera(tenantId: number, ownerId: number | null) {
    made += 1
    const sn = `PLAY${String(made).padStart(4, '0')}`
    const { rows } = await app.db.execute<{ id: number }>(
      sql`insert into devices (sn, tenant_id, model_id, app_account_id) values (${sn}, ${tenantId}, 1, ${ownerId})
        returning id`,
    )
    return { id: rows[0]!.id, sn, tenantId, ownerId: ownerId ?? 0 }
  }
  async function openSession(key: Key, account: string) {
    const { data } = await stranger().call('POST', `${URL}/app/session`, buildSignedRequest(key, { account }))
    return callWithToken(stranger(), data.token)
  }
  return { stranger, addKey, addAccount, addCamera, openSession, record: record(app), takePicture: takePicture(app) }
}

interface Camera {
  readonly id: number
  readonly tenantId: number
  readonly ownerId: number
}

/** Stores a picture without an event: its row, its day in the calendar and its object. */
const takePicture = (app: ReturnType<typeof useApp>) => async (camera: Camera, startMs: number) => {
  const { day, expireDay } = computeSegmentDays(startMs, 7, FIXTURE_TIME_ZONE)
  const { id: deviceId, tenantId, ownerId } = camera
  const key = { expireDay, deviceId, channel: 0, startMs, salt: 7, format: SEGMENT_FORMAT.jpg }
  const shared = { ...key, day, tenantId, ownerId, modelId: 1, recordType: 1, entitlementId: 1, bytes: 4 }
  await app.db.insert(ossSegments).values({ ...shared, kind: 2, durationMs: 0 })
  await app.db
    .insert(ossDeviceDays)
    .values({ ...shared, segments: 1, durationMs: 0, expireDays: [expireDay], firstMs: startMs, lastMs: startMs })
  const { media } = app.services.videos
  if (media.kind !== 'local') throw new Error('the test needs the local store')
  await media.put(formatObjectKey(key), Readable.from([Buffer.from([0xff, 0xd8, 0xff, 0xe0])]), {
    bytes: 4,
    accepts: () => true,
  })
}

/** Stores the rows of recordings of 4 s, one after the other. `storageDays` decides their partition. */
const record =
  (app: ReturnType<typeof useApp>) =>
  async (camera: Camera, { from, count, storageDays = 7 }: { from: number; count: number; storageDays?: number }) => {
    const rows = Array.from({ length: count }, (_, at) => {
      const startMs = from + at * 4000
      const day = formatLocalDay(startMs, FIXTURE_TIME_ZONE)
      return {
        expireDay: addDays(day, storageDays + 1),
        deviceId: camera.id,
        channel: 0,
        kind: 1,
        startMs,
        durationMs: 4000,
        bytes: 1000,
        session: 1,
        seq: at + 1,
        tenantId: camera.tenantId,
        ownerId: camera.ownerId,
        entitlementId: 1,
        modelId: 1,
        salt: at - 5,
        day,
        format: 1,
        recordType: 1,
      }
    })
    await app.db.insert(ossSegments).values(rows)
    for (const day of new Set(rows.map((row) => row.day))) {
      const own = rows.filter((row) => row.day === day)
      const sums = { segments: own.length, durationMs: own.length * 4000, bytes: own.length * 1000 }
      await app.db
        .insert(ossDeviceDays)
        .values({
          ...own[0]!,
          ...sums,
          expireDays: [own[0]!.expireDay],
          firstMs: own[0]!.startMs,
          lastMs: own.at(-1)!.startMs,
        })
        .onConflictDoUpdate({
          target: [
            ossDeviceDays.deviceId,
            ossDeviceDays.channel,
            ossDeviceDays.day,
            ossDeviceDays.tenantId,
            ossDeviceDays.ownerId,
            ossDeviceDays.entitlementId,
          ],
          set: {
            segments: sql`oss_device_days.segments + excluded.segments`,
            durationMs: sql`oss_device_days.duration_ms + excluded.duration_ms`,
            expireDays: sql`oss_device_days.expire_days || excluded.expire_days`,
          },
        })
    }
  }
