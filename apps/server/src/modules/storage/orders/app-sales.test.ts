import { createHmac, randomUUID } from 'node:crypto'
import { APP_TOKEN_HEADER } from '@oms/contract/storage/app.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { decrypt } from '#core/crypto/keys.ts'
import { useApp } from '#test/harness.ts'
import { createCardCode } from './card.ts'
import { useStorage } from '#test/fixtures/storage-fixture.ts'
import { runStorageNotices } from '../notices.ts'

const app = useApp()
const { setNow, clock, call, packages, breaches, newDevice, open, rowsOf } = useStorage(app)
const URL = '/api/v1/oss/app'

let appUser: (
  method: 'GET' | 'POST',
  path: string,
  payload?: object,
) => Promise<{ code: number; msg: string; data: never }>
const bound: string[] = []
beforeAll(async () => {
  setNow(Date.now())
  const { rows } = await app.db.execute<{ uid: number }>(
    sql`insert into app_accounts (tenant_id, account) values (1, 'wang') returning uid`,
  )
  for (let n = 0; n < 4; n += 1) bound.push(await newDevice())
  await app.db.execute(
    sql`update devices set app_account_id = ${rows[0]!.uid} where sn = any(${sql.param(bound)}::text[])`,
  )
  const { data } = await call('POST', '/api/v1/oss/appkey', { keyName: 'App' })
  const sent = {
    keyId: data.keyId,
    account: 'wang',
    ttl: 43_200,
    nonce: randomUUID(),
    time: Math.floor(Date.now() / 1000),
  }
  const text = [sent.keyId, sent.account, sent.ttl, sent.nonce, sent.time].join('\n')
  const sign = createHmac('sha256', data.secret).update(text).digest('hex')
  const session = await app.stranger().call('POST', `${URL}/session`, { ...sent, sign })
  const headers = { [APP_TOKEN_HEADER]: session.data.token as string }
  appUser = async (method, path, payload) =>
    (await app.stranger().inject({ method, url: `${URL}/${path}`, headers, ...(payload && { payload }) })).json()
})

test('STORAGE-11 a user redeems a card for an own device; wrong codes are limited as for staff', async () => {
  await call('POST', '/api/v1/oss/card/create', {
    packageId: packages['M1'],
    count: 1,
    unitAmount: 700,
    validTo: '2099-12-31',
  })
  const { rows } = await app.db.execute<{ encrypted: string }>(
    sql`select file_encrypted as encrypted from oss_card_batches`,
  )
  const code = decrypt(app.services.config.secretKey, rows[0]!.encrypted)
  const redeem = (card: string, sn: string) => appUser('POST', 'card/redeem', { code: card, sn })
  expect(await app.stranger().call('POST', `${URL}/card/redeem`, { code, sn: bound[0] })).toMatchObject({ code: 401 })
  expect((await redeem(code, await newDevice())).msg).toBe('设备不存在或未绑定')
  expect(await redeem(code, bound[0]!)).toMatchObject({ code: 200, msg: '兑换成功' })
  expect(await rowsOf(bound[0]!)).toMatchObject([{ source: 3, state: 1, amount: 700 }])
  for (let n = 0; n < 5; n += 1) expect((await redeem(createCardCode(), bound[0]!)).msg).toBe('卡密无效或已使用')
  expect((await redeem(createCardCode(), bound[0]!)).msg).toBe('输入错误次数过多，请稍后再试')
  expect(await breaches()).toEqual([])
})

test('STORAGE-11 a user gets a trial once per serial number, and no trial when no trial package is on sale', async () => {
  const trial = (sn: string) => appUser('POST', 'trial', { sn })
  expect(await trial(bound[1]!)).toMatchObject({ code: 200, data: { packageName: '套餐TRY' } })
  expect(await trial(bound[1]!)).toMatchObject({ code: 400, msg: '该设备已领取过试用', data: { field: 'sn' } })
  expect(await rowsOf(bound[1]!)).toMatchObject([{ source: 4, state: 1 }])
  await call('POST', `/api/v1/oss/package/disable/${packages['TRY']}`)
  expect((await trial(bound[2]!)).msg).toBe('没有可领取的试用套餐')
})

test('a user reads the new notices about own devices', async () => {
  const other = await newDevice()
  await open([bound[3]!, other], 'M1', { copies: 2 })
  const start = clock.now
  setNow(start + 57 * 86_400_000)
  await runStorageNotices(app.services)
  setNow(start)
  const list = async (query = '') =>
    ((await appUser('GET', `notice/page${query}`)).data as { list: { id: number; sn: string; days: number }[] }).list
  const mine = (await list()).filter(({ sn }) => sn === bound[3])
  expect(mine).toMatchObject([{ days: 7 }])
  expect((await list()).some(({ sn }) => sn === other)).toBe(false)
  expect(await list(`?sinceId=${(await list()).at(-1)!.id}`)).toEqual([])
})

test('STORAGE-02 a user transfers all packages of a channel to another own camera, or the call is refused', async () => {
  const [from, to, foreign] = [await newDevice(), await newDevice(), await newDevice()]
  await app.db.execute(sql`update devices set app_account_id = (select uid from app_accounts where account = 'wang')
    where sn in (${from}, ${to})`)
  await open([from], 'M1', { copies: 2 })
  const transfer = (fields: object) => appUser('POST', 'transfer', { sn: from, targetSn: to, ...fields })
  expect(await app.stranger().call('POST', `${URL}/transfer`, { sn: from, targetSn: to })).toMatchObject({ code: 401 })
  expect(await transfer({ targetSn: foreign })).toMatchObject({
    msg: '设备不存在或未绑定',
    data: { field: 'targetSn' },
  })
  expect(await transfer({ sn: foreign })).toMatchObject({ msg: '设备不存在或未绑定', data: { field: 'sn' } })
  expect((await transfer({ targetSn: from })).msg).toBe('不能转移到同一设备')
  expect((await transfer({ targetChannel: 63 })).msg).toMatch(/^通道号应为0～/)
  expect((await transfer({ channel: 1 })).msg).toBe('该通道没有可转移的套餐')
  expect((await rowsOf(from)).map(({ state }) => state).toSorted()).toEqual([0, 1])
  expect(await transfer({})).toMatchObject({ code: 200, msg: '转移成功', data: { done: 2 } })
  expect((await rowsOf(from)).map(({ state }) => state)).toEqual([5, 5])
  expect((await rowsOf(to)).map(({ source, state }) => [source, state]).toSorted()).toEqual([
    [5, 0],
    [5, 1],
  ])
  expect((await transfer({})).msg).toBe('该通道没有可转移的套餐')
  expect(await breaches()).toEqual([])
})
