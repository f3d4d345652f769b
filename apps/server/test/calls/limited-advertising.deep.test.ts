import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { BEYOND_SCOPE_MESSAGE } from '@oms/contract/advertise/program-words.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { requestOf } from '#test/fixtures/worlds.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp()
const ROOT = '/api/v1/advertise'
/** Calls without an effect on stored rows, and uploads, which create an unused file of the session's tenant. */
const NO_CHANGE = ['program/files', 'program/manifest', 'program/conflict', 'program/dryRun', 'ad/upload'].map(
  (path) => `POST ${ROOT}/${path}`,
)
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const writes = new Map(
  endpoints
    .filter(({ path, method, access }) => path.startsWith(`${ROOT}/`) && method !== 'GET' && access !== 'public')
    .filter((endpoint) => !NO_CHANGE.includes(nameOf(endpoint)))
    .map((endpoint) => [nameOf(endpoint), endpoint]),
)

interface Row {
  readonly id: number
  readonly rev: number
  readonly adId: number
}
const byId = ({ id }: Row) => ({ id })
const content = { adName: '改名', adType: 4, text: { content: '改写' }, confirmRemoval: 1 }
const fields = ({ adId }: Pick<Row, 'adId'>) => buildProgramInput({ programName: '改名', items: [{ adId }] })

/** Calls that change a program, with an input, in an order in which each call succeeds for staff of all tenants. */
const ON_PROGRAMS: Readonly<Record<string, (row: Row) => Record<string, unknown>>> = {
  [`POST ${ROOT}/program/pause/:id`]: byId,
  [`POST ${ROOT}/program/resume/:id`]: byId,
  [`POST ${ROOT}/program/republish/:id`]: ({ id }) => ({ id, verNo: 1 }),
  [`POST ${ROOT}/program/audit`]: ({ id }) => ({ id, verNo: 9, auditStatus: 3, remark: '不合适' }),
  [`POST ${ROOT}/program/publish/:id`]: byId,
  [`POST ${ROOT}/program/withdraw/:id`]: byId,
  [`POST ${ROOT}/program/copy/:id`]: byId,
  [`PUT ${ROOT}/program`]: (row) => ({ ...fields(row), id: row.id, rev: row.rev, targetIds: own.ids }),
  [`DELETE ${ROOT}/program/:id`]: byId,
}
/** Calls that change an ad. */
const ON_ADS: Readonly<Record<string, (row: Row) => Record<string, unknown>>> = {
  [`POST ${ROOT}/ad/disable/:id`]: byId,
  [`POST ${ROOT}/ad/enable/:id`]: byId,
  [`PUT ${ROOT}/ad`]: ({ id, rev }) => ({ ...content, id, rev }),
  [`POST ${ROOT}/ad/submit/:id`]: byId,
  [`POST ${ROOT}/ad/withdraw/:id`]: byId,
  [`POST ${ROOT}/ad/audit`]: ({ id }) => ({
    id,
    verNo: 1,
    contentHash: 'a'.repeat(64),
    auditStatus: 3,
    remark: '不合适',
  }),
  [`DELETE ${ROOT}/ad/:id`]: byId,
}
/** Calls that change a screen of a device. */
const ON_SCREENS: Readonly<Record<string, (row: Row) => Record<string, unknown>>> = {
  [`PUT ${ROOT}/screen`]: ({ id, rev }) => ({ id, rev, timeZone: '', audienceFactor: 1, volume: 9 }),
  [`POST ${ROOT}/screen/unpair/:id`]: byId,
  [`POST ${ROOT}/screen/smilKey/:id`]: byId,
  [`POST ${ROOT}/screen/pair`]: ({ id }) => ({ code: 'ABCDEF', deviceId: id }),
}
const CREATES = [`POST ${ROOT}/ad`, `POST ${ROOT}/program`]

let staff: Caller
let limited: Caller
let inside: number
let outside: number
let own: { ids: number[]; modelId: number }
let foreign: { ids: number[]; modelId: number }
let dynamicGroup: number
let mixedGroup: number

const tenantOf = async (name: string) => {
  await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}
async function createGroup(tenantId: number, kind: 1 | 2, deviceIds: readonly number[] = []) {
  const { rows } = await app.db.execute<{
    id: number
  }>(sql`insert into device_groups (tenant_id, group_name, kind, rule)
    values (${tenantId}, ${`组${tenantId}${kind}${deviceIds.length}`}, ${kind}, ${kind === 2 ? sql`'{}'::jsonb` : null})
    returning id`)
  const { id } = rows[0]!
  for (const deviceId of deviceIds)
    await app.db.execute(sql`insert into device_group_members (group_id, device_id) values (${id}, ${deviceId})`)
  return id
}

/** Publishes a program of the platform with an ad of its own. `isDraft` leaves the program unpublished. */
async function createProgram(target: object, { isDraft = false } = {}): Promise<Row> {
  const adId = await createApprovedAd(app.db)
  const { data, msg } = await staff.call('POST', `${ROOT}/program`, { ...fields({ adId }), ...target })
  expect(data?.id, msg).toBeGreaterThan(0)
  if (!isDraft) expect(await staff.call('POST', `${ROOT}/program/publish/${data.id}`)).toMatchObject({ code: 200 })
  return readRow(data.id, adId)
}
async function readRow(id: number, adId: number): Promise<Row> {
  const { data } = await staff.call('GET', `${ROOT}/program/${id}`)
  return { id, rev: data.rev, adId }
}
const wait = ({ id }: Row) =>
  app.db.execute(sql`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids,
      state, publish_by)
    select program_id, 9, tenant_id, body, target_type, target_ids, 1, 0 from ad_program_versions
    where program_id = ${id} and ver_no = 1`)

/** All rows of programs, ads and screens that exist before the calls. */
const TABLES = ['ad_programs', 'ad_program_versions', 'ad_uses', 'ads', 'ad_versions', 'ad_materials', 'ad_screens']
const digest = async () => {
  const parts = TABLES.map(
    (table) => sql`select ${table}::text as name, md5(string_agg(t::text, '|' order by t::text))
    as rows from ${sql.identifier(table)} t`,
  )
  return JSON.stringify((await app.db.execute(sql`${sql.join(parts, sql` union all `)} order by 1`)).rows)
}
const countLogEntries = async (caller: Caller, { id }: Row): Promise<number> =>
  (await caller.call('GET', `/api/v1/sys/operlog/biz/adProgram/${id}?pageSize=10`)).data.total
const send = async (caller: Caller, name: string, input: Record<string, unknown>) =>
  (await caller.inject(requestOf(writes.get(name)!, input))).json()

beforeAll(async () => {
  staff = await app.by({ superAdmin: true })
  inside = await tenantOf('范围之内')
  outside = await tenantOf('范围之外')
  limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [inside] })
  own = await createScreens(app.db, { tenantId: inside })
  foreign = await createScreens(app.db, { tenantId: outside })
  dynamicGroup = await createGroup(1, 2)
  mixedGroup = await createGroup(1, 1, [own.ids[0]!, foreign.ids[0]!])
}, 60_000)

test('this test file lists every write call of advertising', () => {
  const known = [...Object.keys({ ...ON_PROGRAMS, ...ON_ADS, ...ON_SCREENS }), ...CREATES]
  expect([...writes.keys()].toSorted()).toEqual(known.toSorted())
})

describe('AD-05 a program that reaches tenants outside the data scope', () => {
  const TARGETS = [
    { kind: 'tenants', target: () => ({ targetType: 4, targetIds: [inside, outside] }) },
    { kind: 'devices', target: () => ({ targetIds: [own.ids[0], foreign.ids[0]] }) },
    { kind: 'a dynamic group of the platform', target: () => ({ targetType: 2, targetIds: [dynamicGroup] }) },
    { kind: 'a static group with such devices', target: () => ({ targetType: 2, targetIds: [mixedGroup] }) },
    { kind: 'a model', target: () => ({ targetType: 3, targetIds: [own.modelId] }) },
    { kind: 'its draft', target: () => ({ targetType: 4, targetIds: [outside] }), isDraft: true },
    { kind: 'default', target: () => ({ isDefault: 1 }) },
  ]
  test.each(TARGETS)(
    'no call of limited staff changes a program that reaches other tenants by $kind',
    async ({ target, isDraft = false }) => {
      const row = await createProgram(target(), { isDraft })
      const before = await digest()
      for (const [name, inputOf] of Object.entries(ON_PROGRAMS))
        expect(await send(limited, name, inputOf(row)), name).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
      for (const [name, inputOf] of Object.entries(ON_ADS))
        expect(await send(limited, name, inputOf({ ...row, id: row.adId })), name).toMatchObject({
          code: 501,
          msg: AD_MESSAGES.beyondScope,
        })
      expect(await digest()).toBe(before)
      expect((await limited.call('GET', `${ROOT}/program/${row.id}`)).data).toMatchObject({ isBeyondScope: true })
      expect([await countLogEntries(staff, row), await countLogEntries(limited, row)]).toEqual([expect.any(Number), 0])
      expect((await limited.call('GET', `${ROOT}/ad/${row.adId}`)).data).toMatchObject({
        isBeyondScope: true,
        auditRefusal: AD_MESSAGES.beyondScope,
      })
    },
  )

  test.each(['edited content', 'version in force', 'waiting version'])(
    'no call of limited staff changes a program whose %s alone reaches other tenants',
    async (part) => {
      const row = await createProgram({ targetIds: own.ids })
      const ids = sql`array[${foreign.ids[0]}::int]`
      if (part === 'waiting version') await wait(row)
      await app.db.execute(
        part === 'edited content'
          ? sql`update ad_programs set target_ids = ${ids} where id = ${row.id}`
          : sql`update ad_program_versions set target_ids = ${ids}
            where program_id = ${row.id} and ver_no = ${part === 'waiting version' ? 9 : 1}`,
      )
      const before = await digest()
      for (const [name, inputOf] of Object.entries(ON_PROGRAMS))
        expect((await send(limited, name, inputOf(row))).msg, name).toBe(BEYOND_SCOPE_MESSAGE)
      expect(await digest()).toBe(before)
    },
  )

  test('limited staff see only targets, ads and versions of tenants in their data scope', async () => {
    const hidden = await createApprovedAd(app.db, { tenantId: outside, name: '外部广告' })
    const target = { targetType: 4, targetIds: [inside, outside] }
    const { id } = await createProgram({ ...target, items: [{ adId: hidden }] })
    const { data } = await limited.call('GET', `${ROOT}/program/${id}`)
    expect(data).toMatchObject({ targetIds: [inside], targets: [{ id: inside }] })
    const versions = (await limited.call('GET', `${ROOT}/program/${id}/versions`)).data.list
    expect(versions).toMatchObject([{ screens: null, targets: [{ id: inside }] }])
    const page = await limited.call('GET', `${ROOT}/program/page`)
    for (const text of [data, versions, page.data].map((each) => JSON.stringify(each)))
      expect(text).not.toMatch(/外部广告|范围之外"|"targetIds":\[[^\]]*,/)
  })
})

test('AD-05 limited staff cannot create a program that reaches tenants outside their data scope', async () => {
  const adId = await createApprovedAd(app.db)
  const targets = [
    [{ isDefault: 1 }, 'isDefault'],
    [{ targetType: 2, targetIds: [dynamicGroup] }, 'targetIds'],
    [{ targetType: 2, targetIds: [mixedGroup] }, 'targetIds'],
    [{ targetType: 4, targetIds: [outside] }, 'targetIds'],
  ] as const
  const before = await digest()
  for (const [target, field] of targets)
    expect(await limited.call('POST', `${ROOT}/program`, { ...fields({ adId }), ...target })).toMatchObject({
      code: 400,
      data: { field },
    })
  expect(await digest()).toBe(before)
})

test('AD-07 no call of limited staff changes a screen outside their data scope', async () => {
  await app.db.execute(sql`insert into ad_pairings (pair_id, secret_hash, code, player_id, address, expire_time)
    values ('limited', '', 'ABCDEF', '', '', now() + interval '1 hour')`)
  const before = await digest()
  for (const [name, inputOf] of Object.entries(ON_SCREENS))
    expect(await send(limited, name, inputOf({ id: foreign.ids[0]!, rev: 1, adId: 0 })), name).toMatchObject({
      code: 400,
      msg: expect.stringContaining('不存在或已被删除'),
    })
  expect(await digest()).toBe(before)
})

describe('AD-05 a program that reaches only tenants of the data scope', () => {
  test('limited staff can change a program within their data scope with every call', async () => {
    let row = await createProgram({ targetType: 4, targetIds: [inside] })
    expect((await limited.call('GET', `${ROOT}/program/${row.id}`)).data).toMatchObject({ isBeyondScope: false })
    for (const [name, inputOf] of Object.entries(ON_PROGRAMS)) {
      if (name.endsWith('/audit')) await wait(row)
      row = await readRow(row.id, row.adId)
      expect(await send(limited, name, inputOf(row)), name).toMatchObject({ code: 200 })
    }
  })

  test('limited staff can read the log of a program for their tenants, also with a dynamic group as target', async () => {
    const targets = [
      { targetType: 4, targetIds: [inside] },
      { targetType: 2, targetIds: [await createGroup(inside, 2)] },
    ]
    for (const target of targets) {
      const row = await createProgram(target)
      expect((await limited.call('GET', `${ROOT}/program/${row.id}`)).data).toMatchObject({ isBeyondScope: false })
      expect(await countLogEntries(limited, row)).toBe(2)
    }
  })

  test('limited staff can disable, edit and submit ads within their data scope', async () => {
    const { adId } = await createProgram({ targetIds: own.ids })
    const path = `${ROOT}/ad`
    for (const action of ['disable', 'enable'])
      expect(await limited.call('POST', `${path}/${action}/${adId}`)).toMatchObject({ code: 200 })
    const { rev } = (await limited.call('GET', `${path}/${adId}`)).data
    expect(await limited.call('PUT', path, { ...content, id: adId, rev })).toMatchObject({ code: 200 })
    expect(await limited.call('POST', `${path}/submit/${adId}`)).toMatchObject({ code: 200 })
  })
})

test('control: the same calls change the program when staff of all tenants send them', async () => {
  let row = await createProgram({ targetType: 4, targetIds: [inside, outside] })
  for (const [name, inputOf] of Object.entries(ON_PROGRAMS)) {
    if (name.endsWith('/audit')) await wait(row)
    row = await readRow(row.id, row.adId)
    expect(await send(staff, name, inputOf(row)), name).toMatchObject({ code: 200 })
  }
})
