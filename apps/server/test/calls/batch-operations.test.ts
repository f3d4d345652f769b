import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { desc, gt, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isLogged } from '#core/audit/operation-log.ts'
import { modules } from '#main/modules.ts'
import { operLogs } from '#core/schema/system.ts'
import { CERT, stock, tenantOf } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const DEVICE = '/api/v1/device/info'
const TICKET = '/api/v1/feedback'
const STORAGE = '/api/v1/oss/device'
const remark = '批量处理'

/** A record of a batch, and a word that only its own log row may contain. */
interface Subject {
  readonly id: number | string
  readonly word: string
  /** Id of the record in the log, when the call names another id. */
  readonly logged?: number
}
type Pair = readonly [Subject, Subject]
type Batch = readonly [method: 'POST' | 'DELETE', path: string, subjects: () => Promise<Pair>, more: () => object]
const nothing = () => ({})

let boss: Caller
let tenantIds: [number, number]
let modelId: number
let packageId: number
let made = 0

beforeAll(async () => {
  boss = await app.by({ superAdmin: true })
  for (const tenant of ['甲公司', '乙公司']) await app.by({ tenant })
  tenantIds = [await tenantOf(app.db, '甲公司'), await tenantOf(app.db, '乙公司')]
  const { rows } = await app.db.execute<{ id: number }>(sql`
    with t as (insert into device_types (type_name, type_code) values ('摄像机', 'cam') returning id)
    insert into device_models (type_id, model_name, model_code, cloud_channels) select id, '双目', 'D2', 2 from t returning id`)
  modelId = rows[0]!.id
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900, channels: 4 }
  const sold = { packageName: '月包', packageCode: 'M1', ...terms }
  packageId = (await boss.call('POST', '/api/v1/oss/package', sold)).data.id
})

const ofEachTenant = async (make: (tenantId: number, word: string) => Promise<Subject>): Promise<Pair> => {
  made += 1
  return [await make(tenantIds[0], `FIRST${made}`), await make(tenantIds[1], `OTHER${made}`)]
}
async function newDevice(tenantId: number, sn: string) {
  const { rows } = await app.db.execute<{ id: number }>(
    sql`insert into devices (sn, tenant_id, model_id) values (${sn}, ${tenantId}, ${modelId}) returning id`,
  )
  return rows[0]!.id
}
const devices = () => ofEachTenant(async (tenantId, word) => ({ id: await newDevice(tenantId, word), word }))
const voiceDevices = () =>
  ofEachTenant(async (tenantId, word) => {
    const id = await newDevice(tenantId, word)
    await app.db.execute(sql`with a as (insert into agents (tenant_id, agent_code, agent_name)
        values (${tenantId}, ${`AGT_${word}`}, '小明') returning id)
      insert into agent_devices (device_id, tenant_id, agent_id, mac, board)
        select ${id}, ${tenantId}, id, ${id.toString(16).padStart(12, '0')}, 'bread' from a`)
    return { id, word }
  })
/** Returns the part of a UID that is shown: the first four characters. */
const shownPart = (uid: string) => uid.slice(0, 4)
const certificates = () =>
  ofEachTenant(async (tenantId, word) => {
    const [id] = await stock(app.db, { prefix: word, count: 1, tenantId })
    return { id: id!, word: shownPart(word) }
  })
const bindings = (state: number) => () =>
  ofEachTenant(async (tenantId, word) => {
    const [id] = await stock(app.db, { prefix: word, count: 1, tenantId })
    await newDevice(tenantId, `D-${word}`)
    const { code, msg } = await boss.call('POST', `${CERT}/bind`, { id, sn: `D-${word}` })
    expect(code, msg).toBe(200)
    await app.db.execute(sql`update licenses set state = ${state} where id = ${id}`)
    return { id: id!, word: shownPart(word) }
  })
const tickets = () =>
  ofEachTenant(async (tenantId, word) => {
    await newDevice(tenantId, word)
    const { data } = await boss.call('POST', TICKET, { problemType: 1, content: '不能开机', sn: word })
    const { rows } = await app.db.execute<{ no: string }>(
      sql`select feedback_no as no from tickets where id = ${data.id} and tenant_id = ${tenantId}`,
    )
    return { id: data.id, word: rows[0]!.no }
  })
const entitlements =
  (steps: readonly string[] = []) =>
  () =>
    ofEachTenant(async (tenantId, word) => {
      await newDevice(tenantId, word)
      await boss.call('POST', `${STORAGE}/open`, { sns: [word], packageId, reason: remark })
      const { rows } = await app.db.execute<{ id: number }>(sql`select id from oss_entitlements where sn = ${word}`)
      for (const step of steps) await boss.call('POST', `${STORAGE}/${step}`, { ids: [rows[0]!.id], reason: remark })
      return { id: rows[0]!.id, word }
    })
const openSessions = () =>
  ofEachTenant(async (tenantId) => {
    const { uid, account } = await app.by({ tenant: tenantId === tenantIds[0] ? '甲公司' : '乙公司' })
    const { rows } = await app.db.execute<{ id: string }>(sql`select id from sessions where uid = ${uid}`)
    return { id: rows[0]!.id, word: account, logged: uid }
  })
const applications = () =>
  ofEachTenant(async (tenantId, word) => {
    const account = word.toLowerCase()
    const { rows } = await app.db.execute<{ id: number }>(sql`
      with a as (insert into accounts (account, realname, password_hash) values (${account}, ${word}, 'none') returning uid)
      insert into user_applications (apply_no, uid, account, realname, tenant_id)
        select ${word}, uid, ${account}, ${word}, ${tenantId} from a
      returning id`)
    return { id: rows[0]!.id, word }
  })

const BATCHES: readonly Batch[] = [
  ['POST', `${DEVICE}/status`, devices, () => ({ status: 0 })],
  ['POST', `${DEVICE}/tags`, devices, () => ({ add: ['展厅'], remove: [] })],
  ['POST', `${DEVICE}/tokens`, devices, () => ({ replace: 0 })],
  ['POST', `${DEVICE}/readAttributes`, devices, nothing],
  ['POST', `${DEVICE}/transfer`, devices, () => ({ tenantId: 1 })],
  ['DELETE', DEVICE, devices, nothing],
  ['POST', '/api/v1/agent/device/unbind', voiceDevices, nothing],
  ['POST', `${CERT}/recall`, certificates, () => ({ reason: remark })],
  ['POST', `${CERT}/unbind`, bindings(2), () => ({ reason: remark })],
  ['POST', `${CERT}/suspend`, bindings(3), () => ({ reason: remark })],
  ['POST', `${CERT}/resume`, bindings(4), () => ({ reason: remark })],
  ['POST', `${CERT}/scrap`, certificates, () => ({ reason: remark })],
  ['DELETE', '/api/v1/sys/online', openSessions, nothing],
  ['POST', '/api/v1/tenant/user/apply/audit', applications, () => ({ status: 2, remark })],
  ['POST', `${STORAGE}/suspend`, entitlements(), () => ({ reason: remark })],
  ['POST', `${STORAGE}/resume`, entitlements(['suspend']), () => ({ reason: remark })],
  ['POST', `${STORAGE}/cancel`, entitlements(), () => ({ reason: remark })],
  ['POST', `${TICKET}/assign`, tickets, () => ({ handlerId: boss.uid, remark })],
  ['POST', `${TICKET}/suspend`, tickets, () => ({ remark })],
  ['POST', `${TICKET}/close`, tickets, () => ({ remark })],
  ['POST', `${TICKET}/priority`, tickets, () => ({ priority: 4 })],
  ['POST', `${TICKET}/tags`, tickets, () => ({ tags: ['返修'] })],
]
/** Batches that are tested apart, and batches whose records always belong to one tenant. */
const OTHERS: readonly (readonly string[])[] = [
  ['POST', `${STORAGE}/renew`],
  ['POST', `${DEVICE}/groups`],
  ['POST', '/api/v1/agent/device/move'],
  ['POST', `${TICKET}/merge`],
  ['POST', '/api/v1/oss/card/void'],
  ['POST', '/api/v1/tenant/user/status'],
  ['DELETE', '/api/v1/tenant/user'],
  // Allowlists: their log row belongs to the version.
  ...['ota', 'software'].flatMap((kind) => [
    ['PUT', `/api/v1/device/${kind}/white`],
    ['DELETE', `/api/v1/device/${kind}/white`],
  ]),
]

const newestLog = async () => {
  const [row] = await app.db.select({ id: operLogs.operId }).from(operLogs).orderBy(desc(operLogs.operId)).limit(1)
  return row?.id ?? 0
}
const rowsAfter = (id: number) => app.db.select().from(operLogs).where(gt(operLogs.operId, id))
type LogRow = typeof operLogs.$inferSelect
const textOf = ({ action, operParam, diff }: LogRow) => JSON.stringify([action, operParam, diff]).toUpperCase()

/** A DELETE has its input in the address. */
const send = (method: 'POST' | 'DELETE', path: string, input: { ids: readonly (number | string)[] }) =>
  method === 'POST'
    ? boss.call(method, path, input)
    : boss.call(method, `${path}?${input.ids.map((id) => `ids=${id}`).join('&')}`)

describe('a batch over records of two tenants', () => {
  test.each<Batch>(BATCHES)(
    '%s %s writes one log row per record, and each row names only its own record',
    async (method, path, subjects, more) => {
      const pair = await subjects()
      const before = await newestLog()
      const answer = await send(method, path, { ids: pair.map(({ id }) => id), ...more() })
      expect(answer.code, answer.msg).toBe(200)
      expect(answer.data.failed ?? []).toEqual([])
      const rows = await rowsAfter(before)
      expect(rows.map(({ bizId }) => bizId).toSorted()).toEqual(
        pair.map(({ id, logged }) => String(logged ?? id)).toSorted(),
      )
      for (const [own, other] of [pair, pair.toReversed() as unknown as Pair]) {
        const row = rows.find(({ bizId }) => bizId === String(own.logged ?? own.id))!
        expect(textOf(row)).toContain(own.word.toUpperCase())
        expect(textOf(row)).not.toContain(other.word.toUpperCase())
        expect(JSON.parse(row.operParam).ids).toEqual([own.id])
      }
    },
  )

  test('every logged call with a list of ids is covered by this test file', () => {
    const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
    const batches = endpoints.filter(
      (each) => isLogged(each) && each.input instanceof z.ZodObject && 'ids' in each.input.shape,
    )
    const tested = new Set([...BATCHES, ...OTHERS].map(([method, path]) => `${method} ${path}`))
    expect(batches.map(({ method, path }) => `${method} ${path}`).filter((call) => !tested.has(call))).toEqual([])
  })

  test('opening and renewing cloud storage of two devices writes log rows that name only their own device', async () => {
    const pair = await devices()
    const sns = pair.map(({ word }) => word)
    let before = await newestLog()
    expect((await boss.call('POST', `${STORAGE}/open`, { sns, packageId, reason: remark })).data.done).toBe(2)
    const opened = await rowsAfter(before)
    const ids = opened.map(({ bizId }) => Number(bizId))
    before = await newestLog()
    expect((await boss.call('POST', `${STORAGE}/renew`, { ids, reason: remark })).data.done).toBe(2)
    const renewed = await rowsAfter(before)
    for (const rows of [opened, renewed]) {
      expect(rows.map((row) => sns.filter((sn) => textOf(row).includes(sn)))).toEqual([[sns[0]], [sns[1]]])
    }
    expect(renewed.map(({ operParam }) => JSON.parse(operParam).ids)).toEqual(ids.map((id) => [id]))
  })

  test('transferring two entitlements writes log rows that name only the devices of their own transfer', async () => {
    const [sources, targets] = [await entitlements()(), await devices()]
    const items = sources.map(({ id }, at) => ({ id, targetSn: targets[at]!.word }))
    const before = await newestLog()
    expect((await boss.call('POST', `${STORAGE}/transfer`, { items, reason: remark })).data.done).toBe(2)
    const rows = await rowsAfter(before)
    const named = (row: LogRow) =>
      [0, 1].filter((at) => [sources[at]!.word, targets[at]!.word].some((word) => textOf(row).includes(word)))
    expect(rows.map(named)).toEqual([[0], [0], [1], [1]])
  })

  test('a log row names the removed group only for devices that could be members of the group', async () => {
    const pair = await devices()
    const groupOf = async (tenantId: number, groupName: string) => {
      const input = { groupName, kind: 1, tenantId }
      return (await boss.call('POST', '/api/v1/device/group', input)).data.id as number
    }
    const [join, leave] = [await groupOf(1, '全部展厅'), await groupOf(tenantIds[0], '甲的分组')]
    const before = await newestLog()
    const answer = await boss.call('POST', `${DEVICE}/groups`, { ids: pair.map(({ id }) => id), join, leave })
    expect(answer.data.done, answer.msg).toBe(2)
    expect((await rowsAfter(before)).map(({ action }) => action)).toEqual([
      `移入分组「全部展厅」，移出分组「甲的分组」：「${pair[0].word}」`,
      `移入分组「全部展厅」：「${pair[1].word}」`,
    ])
  })

  test('a log row of a group or an allowlist contains the number of serial numbers instead of their list', async () => {
    const pair = await devices()
    const group = { groupName: '按序列号', kind: 1, tenantId: 1 }
    const { data } = await boss.call('POST', '/api/v1/device/group', group)
    const before = await newestLog()
    const sns = pair.map(({ word }) => word)
    const { code, msg } = await boss.call('POST', '/api/v1/device/group/devices/sns', { id: data.id, sns })
    expect(code, msg).toBe(200)
    const [row] = await rowsAfter(before)
    expect(JSON.parse(row!.operParam).sns).toEqual(['共2个'])
  })
})
