import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { formatObjectKey } from '../video/recordings/segment.ts'
import type { Caller, useApp } from '#test/harness.ts'
import { usePlayback, FIXTURE_TIME_ZONE } from './playback-fixture.ts'

/** Yesterday: a day that is over. */
export const DAY = addDays(formatLocalDay(Date.now(), FIXTURE_TIME_ZONE), -1)
export const RECORDING_START = Date.parse(`${DAY}T12:00:00+08:00`)
export const RANGE = { begin: RECORDING_START, end: RECORDING_START + 60_000 }

export type Fixture = ReturnType<typeof usePlayback>
export type Session = Awaited<ReturnType<Fixture['openSession']>>
export type Camera = Awaited<ReturnType<Fixture['addCamera']>>
/** A user of an App with a camera and its recordings. */
export interface Home {
  readonly account: string
  readonly uid: number
  readonly session: Session
  readonly camera: Camera
}
export interface FixtureAddresses {
  readonly playlist: string
  readonly segment: string
  readonly picture: string
}

/** Content of the recordings of a camera, different for each camera. */
const bytesOf = ({ id }: Camera) => Buffer.from(`recording of camera ${id}`.padEnd(1000))

/** Returns functions that create homes on the test server of the calling file. */
export function homesOf(app: ReturnType<typeof useApp>) {
  const fixture = usePlayback(app)
  let key: Awaited<ReturnType<Fixture['addKey']>>
  let made = 0

  /** Creates the model of the cameras and the key of the App. */
  async function prepare(admin: Caller) {
    await app.db.execute(sql`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
    await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
      values (1, '双目', 'D2', 2)`)
    key = await fixture.addKey(admin)
  }

  /** Creates an App user with a camera that has recordings, an event, its picture and a notice. */
  async function newHome(): Promise<Home> {
    made += 1
    const account = `user${made}`
    const uid = await fixture.addAccount(1, account)
    const camera = await fixture.addCamera(1, uid)
    await fixture.record(camera, { from: RECORDING_START, count: 5 })
    const expireDay = addDays(DAY, 8)
    const picture = RECORDING_START + 1000
    await app.db.execute(sql`insert into oss_events (expire_day, device_id, channel, event_no, type, start_ms, end_ms,
        picture_ms, segments, tenant_id, owner_id)
      values (${expireDay}, ${camera.id}, 0, 1, 2, ${RECORDING_START}, ${RECORDING_START + 8000}, ${picture}, 2, 1, ${uid})`)
    await app.db.execute(sql`insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes,
        tenant_id, owner_id, entitlement_id, model_id, salt, day, format, record_type)
      values (${expireDay}, ${camera.id}, 0, 2, ${picture}, 0, 1000, 1, ${uid}, 1, 1, 77, ${DAY}, 3, 1)`)
    await app.db.execute(sql`insert into oss_notices (tenant_id, device_id, sn, channel, kind, days, end_time, create_time)
      values (1, ${camera.id}, ${camera.sn}, 0, 1, 7, now() + interval '7 days', now())`)
    const { media } = app.services.videos
    if (media.kind !== 'local') throw new Error('the test needs the local store')
    for (const [startMs, salt, format] of [
      [RECORDING_START, -5, 1],
      [picture, 77, 3],
    ] as const)
      await media.put(
        formatObjectKey({ expireDay, deviceId: camera.id, channel: 0, startMs, salt, format }),
        Readable.from([bytesOf(camera)]),
        {
          bytes: 1000,
          accepts: () => true,
        },
      )
    return { account, uid, camera, session: await fixture.openSession(key, account) }
  }

  /** Addresses that the owner was given: playlist, segment and picture. */
  async function addressesOf({ session, camera }: Home): Promise<FixtureAddresses> {
    const playlist = (await session('POST', 'play', { sn: camera.sn, ...RANGE })).data.url as string
    const { body } = await app.stranger().inject({ method: 'GET', url: playlist })
    const segment = playlist.replace('index.m3u8', body.split('\n').find((line) => line.endsWith('.ts'))!)
    const { list } = (await session('GET', `event/page?sn=${camera.sn}&day=${DAY}`)).data
    return { playlist, segment, picture: list[0].picture as string }
  }

  const get = (url: string) => app.stranger().inject({ method: 'GET', url })
  /** True when the address returns the playlist or the content of this camera. */
  async function isSent(url: string, camera: Camera) {
    const { statusCode, rawPayload } = await get(url)
    return statusCode === 200 && (url.endsWith('.m3u8') || rawPayload.equals(bytesOf(camera)))
  }

  /** Addresses of the own camera of this person with the file names of another camera. */
  async function forged(own: Home, { segment, picture }: FixtureAddresses): Promise<FixtureAddresses> {
    const mine = await addressesOf(own)
    const fileOf = (url: string) => url.split('/').at(-1)!
    const forge = (of: string, url: string) => of.replace(/[^/]+$/, fileOf(url))
    return {
      playlist: mine.playlist.replace('/play/', '/play/0'),
      segment: forge(mine.segment, segment),
      picture: forge(mine.picture, picture),
    }
  }

  const bindTo = (uid: number | null, { camera }: Home) =>
    app.db.execute(sql`update devices set app_account_id = ${uid} where id = ${camera.id}`)
  /** Changes a row as another process would: the caches of this process hear of the change. */
  async function changeRow(statement: ReturnType<typeof sql>) {
    await app.db.execute(statement)
    await app.services.events.publish(app.db, 'changed', { resource: 'account', tenantId: null })
  }

  return { fixture, prepare, newHome, addressesOf, isSent, forged, bindTo, changeRow }
}
