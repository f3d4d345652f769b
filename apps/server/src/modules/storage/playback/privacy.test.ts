import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatLocalTime } from '#core/time/zone.ts'
import { runPurges } from '../video/retention.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  type FixtureAddresses,
  type HomeCamera,
  DAY,
  type Home,
  homesOf,
  RANGE,
  type Session,
  RECORDING_START,
  ADDRESS_KINDS,
  ACCESS_ATTEMPTS,
  expectResults,
  type ExpectedResults,
  type AccessAttempt,
  hasRows,
  FIXTURE_TIME_ZONE,
} from '#test/fixtures/playback-fixture.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const { fixture, prepare, newHome, addressesOf, isSent, forged, bindTo, changeRow } = homesOf(app)
const RIGHTS = ['list', 'consent', 'view'].map((action) => `ossManage:deviceList:${action}`)
const URL = '/api/v1/oss'
const HALF_HOUR_MS = 1_800_000
const text = (ms: number) => formatLocalTime(ms, FIXTURE_TIME_ZONE)

let admin: Caller
let neighbour: Home
const clock = { ahead: 0 }
let made = 0

async function cellsOf(session: Session, camera: HomeCamera, addresses: FixtureAddresses): Promise<ExpectedResults> {
  const expectResults: Partial<Record<AccessAttempt, boolean>> = {}
  for (const name of ADDRESS_KINDS) expectResults[name] = await isSent(addresses[name], camera)
  for (const [name, attempt] of Object.entries(ACCESS_ATTEMPTS))
    expectResults[name as AccessAttempt] = await attempt(session, camera)
  return expectResults
}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  await prepare(admin)
  neighbour = await newHome()
  Object.assign(app.services, { now: () => new Date(Date.now() + clock.ahead) })
})

interface Scene {
  readonly session: Session
  readonly addresses: FixtureAddresses
}
type Scenario = readonly [
  who: string,
  may: string,
  arrange: (home: Home, addresses: FixtureAddresses) => Promise<Scene>,
]

const PEOPLE: readonly Scenario[] = [
  ['the owner', 'all', async ({ session }, addresses) => ({ session, addresses })],
  [
    'another user of the tenant',
    '',
    async (_, addresses) => ({ session: neighbour.session, addresses: await forged(neighbour, addresses) }),
  ],
  [
    'a user of another tenant with its own key',
    '',
    async (_, addresses) => {
      await app.by({ tenant: '另一客户' })
      const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '另一客户'`)
      const account = `far${(made += 1)}`
      await fixture.addAccount(rows[0]!.id, account)
      const { data } = await admin.call('POST', `${URL}/appkey`, { keyName: account, tenantId: rows[0]!.id })
      return { session: await fixture.openSession(data, account), addresses: await forged(neighbour, addresses) }
    },
  ],
  [
    'a caller without a session',
    '',
    async (_, { playlist, segment, picture }) => {
      const changed = (url: string) => url.replace('/play/', '/play/1')
      const addresses = { playlist: changed(playlist), segment: changed(segment), picture: changed(picture) }
      const session: Session = async (method, path, payload) =>
        (await app.stranger().inject({ method, url: `${URL}/app/${path}`, ...(payload && { payload }) })).json()
      return { session, addresses }
    },
  ],
  [
    'the owner after unbinding the camera',
    '',
    async (home, addresses) => {
      await bindTo(null, home)
      return { session: home.session, addresses }
    },
  ],
  [
    'the next owner of the camera',
    'list consent',
    async (home, addresses) => {
      await bindTo(neighbour.uid, home)
      return { session: neighbour.session, addresses: await forged(neighbour, addresses) }
    },
  ],
  [
    'the former owner of a camera that has a new owner',
    '',
    async (home, addresses) => {
      await bindTo(neighbour.uid, home)
      return { session: home.session, addresses }
    },
  ],
  [
    'a disabled user',
    '',
    async ({ uid, session }, addresses) => {
      await admin.call('POST', `/api/v1/account/app/disable/${uid}`)
      return { session, addresses }
    },
  ],
  [
    'a deleted user',
    '',
    async ({ uid, session }, addresses) => {
      await changeRow(sql`update app_accounts set deleted_at = now() where uid = ${uid}`)
      return { session, addresses }
    },
  ],
  [
    'the owner in an App whose key was disabled',
    '',
    async (home) => {
      const other = await fixture.addKey(admin)
      const session = await fixture.openSession(other, home.account)
      const addresses = await addressesOf({ ...home, session })
      await changeRow(sql`update oss_app_keys set status = 0 where id = ${other.id}`)
      return { session, addresses }
    },
  ],
  [
    'a user of a disabled tenant',
    '',
    async ({ account, camera, uid }) => {
      await app.by({ tenant: '停用客户' })
      const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '停用客户'`)
      const tenantId = rows[0]!.id
      const moved = { ...camera, tenantId }
      for (const table of ['app_accounts', 'devices', 'oss_segments', 'oss_events', 'oss_device_days'])
        await app.db.execute(
          sql.raw(`update ${table} set tenant_id = ${tenantId}
            where ${table === 'app_accounts' ? 'uid' : table === 'devices' ? 'id' : 'device_id'} = ${table === 'app_accounts' ? uid : camera.id}`),
        )
      const { data } = await admin.call('POST', `${URL}/appkey`, { keyName: '停用', tenantId })
      const session = await fixture.openSession(data, account)
      const addresses = await addressesOf({ account, uid, session, camera: moved })
      await changeRow(sql`update tenants set status = 0 where id = ${tenantId}`)
      return { session, addresses }
    },
  ],
  [
    'the owner after the end of the session and of the addresses',
    '',
    async ({ session }, addresses) => {
      clock.ahead = 13 * 3600_000
      return { session, addresses }
    },
  ],
  [
    'the owner after the recordings were deleted and the job has purged them',
    'list notices consent',
    async ({ session, camera }, addresses) => {
      await session('DELETE', `video?sn=${camera.sn}&begin=${RECORDING_START}&end=${RECORDING_START + 3600_000}`)
      const { database, videos, log } = app.services
      await runPurges({ pool: database.pool, media: videos.media, log })
      return { session, addresses }
    },
  ],
]

describe('STORAGE-08 access of callers to the recordings of a camera', () => {
  test.each(PEOPLE)(
    '%s gets exactly the permitted recordings, pictures and lists of a camera',
    { timeout: 60_000 },
    async (_, may, arrange) => {
      const home = await newHome()
      const addresses = await addressesOf(home)
      const scene = await arrange(home, addresses)
      try {
        await expect
          .poll(() => cellsOf(scene.session, home.camera, scene.addresses), { timeout: 20_000 })
          .toEqual(expectResults(may))
      } finally {
        clock.ahead = 0
      }
    },
  )
})

interface View {
  readonly who: Caller
  readonly consentId: number
}
type StaffScenario = readonly [who: string, may: boolean, arrange: (home: Home, consentId: number) => Promise<View>]

const view = ({ who, consentId }: View, { sn }: HomeCamera) =>
  who.call('POST', `${URL}/device/view`, {
    sn,
    channel: 0,
    begin: text(RANGE.begin),
    end: text(RANGE.end),
    consentId,
    reason: '用户报修花屏，核对画面',
  })

const STAFF: readonly StaffScenario[] = [
  [
    'staff with the right and a consent of the owner',
    true,
    async (_, consentId) => ({ who: await app.as(...RIGHTS), consentId }),
  ],
  ['staff without the right', false, async (_, consentId) => ({ who: await app.as(...RIGHTS.slice(0, 2)), consentId })],
  ['staff without a consent', false, async () => ({ who: await app.as(...RIGHTS), consentId: 4711 })],
  ['the super administrator without a consent', false, async () => ({ who: admin, consentId: 4711 })],
  [
    'staff with the consent for another camera',
    false,
    async () => {
      const { session, camera } = neighbour
      const given = { sn: camera.sn, ...RANGE, validUntil: Date.now() + HALF_HOUR_MS }
      return { who: await app.as(...RIGHTS), consentId: (await session('POST', 'consent', given)).data.id }
    },
  ],
  [
    'staff after the end of the consent',
    false,
    async (_, consentId) => {
      const who = await app.as(...RIGHTS)
      clock.ahead = HALF_HOUR_MS + 60_000
      return { who, consentId }
    },
  ],
  [
    'staff after the owner withdrew the consent',
    false,
    async ({ session }, consentId) => {
      expect((await session('DELETE', `consent/${consentId}`)).code).toBe(200)
      return { who: await app.as(...RIGHTS), consentId }
    },
  ],
  [
    'staff after the camera got another owner',
    false,
    async (home, consentId) => {
      await bindTo(neighbour.uid, home)
      return { who: await app.as(...RIGHTS), consentId }
    },
  ],
  [
    'staff with a consent of the next owner for a time before',
    false,
    async (home) => {
      await bindTo(neighbour.uid, home)
      const given = { sn: home.camera.sn, ...RANGE, validUntil: Date.now() + HALF_HOUR_MS }
      const { data } = await neighbour.session('POST', 'consent', given)
      return { who: await app.as(...RIGHTS), consentId: data.id }
    },
  ],
  [
    'staff of another tenant',
    false,
    async (_, consentId) => ({ who: await app.by({ tenant: '第三客户', permissions: RIGHTS }), consentId }),
  ],
]

describe('STORAGE-09 access of staff to the recordings of a user', () => {
  test.each(STAFF)('%s may read recorded times and views: %s', { timeout: 60_000 }, async (_, may, arrange) => {
    const home = await newHome()
    const given = { sn: home.camera.sn, ...RANGE, validUntil: Date.now() + HALF_HOUR_MS }
    const consentId = (await home.session('POST', 'consent', given)).data.id as number
    const earlier = (await view({ who: await app.as(...RIGHTS), consentId }, home.camera)).data.url as string
    expect(await isSent(earlier, home.camera)).toBe(true)
    const scene = await arrange(home, consentId)
    const { sn } = home.camera
    const times = await scene.who.call(
      'GET',
      `${URL}/consent/times?sn=${sn}&channel=0&consentId=${scene.consentId}&day=${DAY}`,
    )
    const views = () => app.db.execute(sql`select from oss_views where device_id = ${home.camera.id}`)
    const before = (await views()).rows.length
    const { code, data } = await view(scene, home.camera)
    expect({ times: hasRows(times), view: code === 200 }).toEqual({ times: may, view: may })
    // Each view that was permitted, and no other, has a row that the owner sees.
    expect((await views()).rows.length - before).toBe(may ? 1 : 0)
    if (may) expect(await isSent(data.url, home.camera)).toBe(true)
    clock.ahead = 0
  })
})
