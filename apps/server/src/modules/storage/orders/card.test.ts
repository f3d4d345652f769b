import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { createCardCode, parseCardCode } from './card.ts'
import { retryUntilServed, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const { setNow, clock, call, packages, breaches, newDevice, rowsOf } = useStorage(app)
const CARD = '/api/v1/oss/card'
const CARD_RIGHT = 'ossManage:deviceList:card'
const WRONG = '卡密无效或已使用'

let creator: Caller
beforeAll(async () => {
  setNow(Date.now())
  creator = await app.by({ superAdmin: true })
})
beforeEach(() => app.db.execute(sql`delete from oss_card_attempts`))

const create = (count: number, over: object = {}) =>
  creator.call('POST', `${CARD}/create`, {
    packageId: packages['M1'],
    count,
    unitAmount: 700,
    validTo: '2099-12-31',
    ...over,
  })
const fileOf = (id: number, caller = creator) => caller.inject({ method: 'GET', url: `${CARD}/file/${id}` })
/** Returns the codes of a new batch. */
async function newCodes(count: number) {
  const { data } = await create(count)
  const { body } = await fileOf(data.id)
  return { id: data.id as number, codes: body.match(/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/g)! }
}
const redeem = (code: string, sn: string, caller: Pick<Caller, 'call'> = creator) =>
  caller.call('POST', `${CARD}/redeem`, { code, sn })

describe('STORAGE-11 card codes', () => {
  test('a card code with one wrong letter is invalid; I, L, O, spaces and lower case are accepted', () => {
    const code = createCardCode()
    expect(parseCardCode(code)).toBe(code)
    expect(parseCardCode(` ${code.slice(0, 4).toLowerCase()} - ${code.slice(4)} `)).toBe(code)
    expect(parseCardCode(code.replaceAll('0', 'o').replaceAll('1', 'l'))).toBe(code)
    for (const at of Array.from({ length: 16 }, (_, n) => n)) {
      const other = code[at] === 'A' ? 'B' : 'A'
      expect(parseCardCode(code.slice(0, at) + other + code.slice(at + 1))).toBeUndefined()
    }
    expect(parseCardCode('')).toBeUndefined()
    expect(parseCardCode(`${code}U`)).toBeUndefined()
  })

  test('only the creator downloads the card file, once and within 24 hours; the cards store only hashes of the codes', async () => {
    const { data } = await create(3)
    const other = await app.by({ superAdmin: true })
    const refusal = { code: 501, msg: '卡密文件已下载或已过期，不能再次下载' }
    expect((await fileOf(data.id, other)).json()).toMatchObject(refusal)
    await creator.inject({ method: 'HEAD', url: `${CARD}/file/${data.id}` })
    const file = await fileOf(data.id)
    expect(file.headers['content-disposition']).toContain('attachment')
    const codes = file.body.match(/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/g)!
    expect(new Set(codes).size).toBe(3)
    expect((await fileOf(data.id)).json()).toMatchObject(refusal)
    const { rows } = await app.db.execute<{ row: string }>(sql`select t::text as row from oss_cards t
      union all select t::text from oss_card_batches t union all select t::text from oper_logs t`)
    const stored = rows.map(({ row }) => row).join()
    for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''))
    const late = (await create(1)).data.id
    setNow(clock.now + 24 * 3_600_000)
    expect((await fileOf(late)).json()).toMatchObject(refusal)
    setNow(Date.now())
  })

  test('a card opens its package once, and the entitlement has the amount for which the card was sold', async () => {
    const { codes, id } = await newCodes(1)
    const sn = await newDevice()
    expect(await redeem(codes[0]!, 'NONE')).toMatchObject({ msg: '设备不存在', data: { field: 'sn' } })
    expect(await redeem(codes[0]!.toLowerCase(), sn)).toMatchObject({ code: 200, msg: '兑换成功' })
    expect(await redeem(codes[0]!, sn)).toMatchObject({ code: 400, msg: WRONG, data: { field: 'code' } })
    expect(await rowsOf(sn)).toMatchObject([{ state: 1, source: 3, amount: 700 }])
    expect((await call('GET', `${CARD}/page?batchId=${id}`)).data.list).toMatchObject([{ state: 1, sn }])
    expect((await call('GET', `${CARD}/batch/page`)).data.list[0]).toMatchObject({ count: 1, used: 1, voided: 0 })
    expect(await breaches()).toEqual([])
  })

  test('only one of 50 parallel redemptions of a card by different accounts succeeds', {
    timeout: 120_000,
  }, async () => {
    const { codes } = await newCodes(1)
    const sns = await Promise.all(Array.from({ length: 50 }, () => newDevice()))
    const callers = await Promise.all(Array.from({ length: 10 }, () => app.as(CARD_RIGHT)))
    const answers = await Promise.all(
      sns.map((sn, n) => retryUntilServed(() => redeem(codes[0]!, sn, callers[n % callers.length]!))),
    )
    // A busy machine may lose the response of the successful call, so the entitlement is checked below.
    expect(answers.filter(({ code }) => code === 200).length).toBeLessThanOrEqual(1)
    const others = new Set(answers.filter(({ code }) => code !== 200).map(({ msg }) => msg))
    expect([...others].every((msg) => msg === WRONG || msg === '输入错误次数过多，请稍后再试')).toBe(true)
    const { rows } = await app.db.execute<{ n: number }>(
      sql`select count(*)::int as n from oss_entitlements where source = 3 and sn = any(${sql.param(sns)}::text[])`,
    )
    expect(rows[0]!.n).toBe(1)
    expect(await breaches()).toEqual([])
  })

  test('voided and expired cards get the same message as unknown cards; used cards cannot be voided', async () => {
    const { codes, id } = await newCodes(3)
    const sn = await newDevice()
    await redeem(codes[0]!, sn)
    const cards = (await call('GET', `${CARD}/page?batchId=${id}`)).data.list
    const chosen = cards.find(
      ({ state, tail }: { state: number; tail: string }) => state === 0 && codes[1]!.endsWith(tail),
    )
    const toVoid = (over: object) => call('POST', `${CARD}/void`, { batchId: id, reason: '泄露', ...over })
    expect(await toVoid({ ids: [chosen.id] })).toMatchObject({ code: 200, msg: '已作废', data: { count: 1 } })
    expect((await redeem(codes[1]!, sn)).msg).toBe(WRONG)
    await app.db.execute(sql`update oss_card_batches set valid_to = current_date - 1 where id = ${id}`)
    expect((await redeem(codes[2]!, sn)).msg).toBe(WRONG)
    expect((await call('GET', `${CARD}/page?batchId=${id}&state=3`)).data.total).toBe(1)
    expect(await toVoid({})).toMatchObject({ data: { count: 1 } })
    expect((await toVoid({})).msg).toBe('没有可以作废的卡密')
  })

  test('5 wrong codes lock an account for 15 minutes, and 20 wrong codes lock an IP address for an hour', async () => {
    const { codes } = await newCodes(2)
    const sn = await newDevice()
    const TOO_MANY = '输入错误次数过多，请稍后再试'
    const guess = (caller: Caller) => redeem(createCardCode(), sn, caller)
    const first = await app.as(CARD_RIGHT)
    for (let n = 0; n < 5; n += 1) expect((await guess(first)).msg).toBe(WRONG)
    expect((await guess(first)).msg).toBe(TOO_MANY)
    expect((await redeem(codes[0]!, sn, first)).msg).toBe(TOO_MANY)
    expect((await redeem(codes[0]!, sn)).code).toBe(200)
    for (let account = 0; account < 3; account += 1) {
      const caller = await app.as(CARD_RIGHT)
      for (let n = 0; n < 5; n += 1) expect((await guess(caller)).msg).toBe(WRONG)
    }
    expect((await redeem(codes[1]!, sn)).msg).toBe(TOO_MANY)
    setNow(clock.now + 61 * 60_000)
    expect((await redeem(codes[1]!, sn)).code).toBe(200)
    setNow(Date.now())
  })

  test('staff of a tenant redeem cards only for devices of the tenant and see no card batches', async () => {
    const staff = await app.by({ tenant: '甲公司', permissions: [CARD_RIGHT] })
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '甲公司'`)
    const [own, foreign] = [await newDevice(rows[0]!.id), await newDevice()]
    const { codes } = await newCodes(1)
    expect((await redeem(codes[0]!, foreign, staff)).msg).toBe('设备不存在')
    expect(await redeem(codes[0]!, own, staff)).toMatchObject({ code: 200 })
    expect((await staff.call('GET', `${CARD}/batch/page`)).data.total).toBe(0)
    expect(
      (await staff.call('POST', `${CARD}/create`, { packageId: packages['M1'], count: 1, validTo: '2099-12-31' })).code,
    ).toBe(501)
  })

  test('a card batch of a trial package, with an expiry date in the past or with too many cards is refused', async () => {
    expect((await create(1, { packageId: packages['TRY'] })).msg).toBe('试用套餐不能生成卡密')
    expect(await create(1, { validTo: '2020-01-01' })).toMatchObject({ msg: '有效期不能早于今天' })
    const both = await create(1, { validTo: '2020-01-01', packageId: 999_999 })
    expect(both.data.fields).toMatchObject([{ field: 'packageId' }, { field: 'validTo' }])
    expect((await create(10_001)).msg).toBe('数量不能大于10000')
  })
})
