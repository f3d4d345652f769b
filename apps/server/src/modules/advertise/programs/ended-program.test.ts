import { BEYOND_SCOPE_MESSAGE } from '@oms/contract/advertise/program-words.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const REFUSED_TARGETS = { code: 400, data: { field: 'targetIds' } }
const EDITED_BEYOND_SCOPE = '编辑中的内容投放到您数据范围之外的客户，请先修改投放对象'
let staff: Caller
let limited: Caller
let inside: number
let outside: number
let ad: number

const tenantOf = async (name: string) => {
  await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}
beforeAll(async () => {
  staff = await app.by({ superAdmin: true })
  inside = await tenantOf('范围之内')
  outside = await tenantOf('范围之外')
  limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [inside] })
  ad = await createApprovedAd(app.db)
  await createScreens(app.db, { tenantId: inside, count: 1 })
  await createScreens(app.db, { tenantId: outside, count: 2 })
})

const fieldsFor = (targetIds: readonly number[]) => ({
  ...buildProgramInput({ items: [{ adId: ad }] }),
  targetType: 4,
  targetIds,
})
const post = (who: Caller, path: string, body: object = {}) => who.call('POST', `${ROOT}/${path}`, body)
const read = async (who: Caller, id: number) => (await who.call('GET', `${ROOT}/${id}`)).data
const save = async (who: Caller, id: number, targetIds: readonly number[]) => {
  const { rev } = await read(staff, id)
  return who.call('PUT', ROOT, { ...fieldsFor(targetIds), id, rev })
}
const publish = async (id: number) => expect(await post(staff, `publish/${id}`)).toMatchObject({ code: 200 })
const withdraw = async (id: number) => expect(await post(staff, `withdraw/${id}`)).toMatchObject({ code: 200 })

/** Creates a program that staff of all tenants published once for each list of targets, and then withdrew. */
async function endedProgram(...versions: readonly (readonly number[])[]): Promise<number> {
  const { data } = await staff.call('POST', ROOT, fieldsFor(versions[0]!))
  for (const targetIds of versions) {
    await save(staff, data.id, targetIds)
    await publish(data.id)
  }
  await withdraw(data.id)
  return data.id
}

describe('AD-05 an ended program that reached tenants outside the data scope', () => {
  test('limited staff can edit an ended program for tenants in their data scope and publish it again', async () => {
    const id = await endedProgram([inside, outside])
    expect(await read(limited, id)).toMatchObject({ status: 5, isBeyondScope: false, targetIds: [inside] })
    expect(await save(limited, id, [inside, outside])).toMatchObject({ code: 400, data: { field: 'targetIds' } })
    expect(await save(limited, id, [inside])).toMatchObject({ code: 200 })
    expect(await post(limited, `publish/${id}`)).toMatchObject({ code: 200, data: { status: 2, screens: 1 } })
    const { list } = (await limited.call('GET', `${ROOT}/${id}/versions`)).data
    expect(list).toMatchObject([
      { verNo: 2, screens: 1, targets: [{ id: inside }] },
      { verNo: 1, screens: null, targets: [{ id: inside }] },
    ])
  })

  test('limited staff cannot publish, copy or delete an ended program whose content has targets outside their scope', async () => {
    const id = await endedProgram([inside, outside])
    expect(await post(limited, `publish/${id}`)).toMatchObject(REFUSED_TARGETS)
    expect((await post(limited, `republish/${id}`, { verNo: 1 })).msg).toBe(EDITED_BEYOND_SCOPE)
    expect(await post(limited, `copy/${id}`)).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
    expect(await limited.call('DELETE', `${ROOT}/${id}`)).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
    expect(await read(staff, id)).toMatchObject({ status: 5, verNo: 1 })
  })

  test('limited staff republish an older version when its targets and the edited targets are in their data scope', async () => {
    const id = await endedProgram([inside], [inside, outside])
    expect((await post(limited, `republish/${id}`, { verNo: 1 })).msg).toBe(EDITED_BEYOND_SCOPE)
    expect(await save(limited, id, [inside])).toMatchObject({ code: 200 })
    expect(await post(limited, `republish/${id}`, { verNo: 2 })).toMatchObject(REFUSED_TARGETS)
    expect(await post(limited, `republish/${id}`, { verNo: 1 })).toMatchObject({ code: 200, data: { screens: 1 } })
    expect(await post(limited, `withdraw/${id}`)).toMatchObject({ code: 200 })
  })

  test('limited staff cannot change the program while a version outside their scope is waiting, live or paused', async () => {
    const id = await endedProgram([inside], [outside])
    await save(staff, id, [inside])
    expect(await read(limited, id)).toMatchObject({ isBeyondScope: false })
    expect(await post(staff, `republish/${id}`, { verNo: 2 })).toMatchObject({ code: 200 })
    expect(await post(limited, `withdraw/${id}`)).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
    await post(staff, `pause/${id}`)
    expect(await post(limited, `resume/${id}`)).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
    await withdraw(id)
    await app.db.execute(sql`update ad_program_versions set state = 1 where program_id = ${id} and ver_no = 2`)
    expect(await save(limited, id, [inside])).toMatchObject({ code: 501, msg: BEYOND_SCOPE_MESSAGE })
  })
})

test('AD-05 limited staff cannot read the log of a program that was ever published outside their data scope', async () => {
  const totalOf = async (who: Caller, id: number) =>
    (await who.call('GET', `/api/v1/sys/operlog/biz/adProgram/${id}?pageSize=10`)).data.total
  const once = await endedProgram([outside], [inside])
  const never = await endedProgram([inside])
  expect(await totalOf(staff, once)).toBeGreaterThan(0)
  expect(await totalOf(limited, once)).toBe(0)
  expect(await totalOf(limited, never)).toBe(await totalOf(staff, never))
})
