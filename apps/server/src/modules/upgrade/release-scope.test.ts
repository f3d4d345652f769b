import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  insertDevices,
  createEnabledVersion,
  buildFormalRelease,
  readRelease,
  RELEASE_PERMISSIONS,
  insertTasks,
  readTenantId,
} from './upgrade-fixture.ts'

const server = useApp()
const BEYOND = '该版本的发布涉及您数据范围之外的客户，您只能查看'
const post = (who: Caller, path: string, body: object) => who.call('POST', `/api/v1/upgrade/${path}`, body)
const white = (who: Caller, method: 'PUT' | 'DELETE', otaId: number, ids: number[]) =>
  who.inject({
    method,
    url: `/api/v1/device/ota/white${method === 'DELETE' ? `?otaId=${otaId}&${ids.map((id) => `ids=${id}`).join('&')}` : ''}`,
    ...(method === 'PUT' && { payload: { otaId, ids } }),
  })

let all: Caller
let limited: Caller
let mine: number
let others: number
beforeAll(async () => {
  await server.by({ tenant: '范围内' })
  await server.by({ tenant: '范围外' })
  mine = await readTenantId(server, '范围内')
  others = await readTenantId(server, '范围外')
  const permissions = [...RELEASE_PERMISSIONS, 'upgrade:ota:edit']
  all = await server.by({ permissions })
  limited = await server.by({ permissions, dataScope: 3, scopeIds: [mine] })
})

/** Creates a platform version with three devices of the tenant in scope and five devices of another tenant. */
async function releaseForBoth() {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const prefix = `S${otaId}`
  const own = await insertDevices(server.db, { modelId, count: 3, prefix: `${prefix}A`, tenantId: mine })
  const foreign = await insertDevices(server.db, { modelId, count: 5, prefix: `${prefix}B`, tenantId: others })
  return { otaId, own, foreign }
}

describe('staff limited to selected tenants', () => {
  test('limited staff see only devices in their data scope and cannot change a release for other tenants', async () => {
    const { otaId, own, foreign } = await releaseForBoth()
    expect((await post(all, 'release/publish', buildFormalRelease(otaId))).code).toBe(200)
    await insertTasks(server.db, { otaId, deviceIds: [...own, ...foreign], state: 10 })
    await server.db.execute(
      sql`insert into ota_alarms (tenant_id, ota_id, kind, message) values (1, ${otaId}, 2, '失败率 60%')`,
    )
    const { rows } = await server.db.execute<{ id: number }>(sql`select id from ota_alarms where ota_id = ${otaId}`)
    const seen = await readRelease(limited, otaId)
    expect(seen).toMatchObject({ canSteer: false, alarms: [], counts: [{ state: 10, count: 3 }] })
    expect(await readRelease(all, otaId)).toMatchObject({ canSteer: true, counts: [{ state: 10, count: 8 }] })
    const attempts: [string, object][] = [
      ['release/pause', { otaId }],
      ['release/stop', { otaId }],
      ['release/share', { otaId, percent: 100 }],
      ['release/publish', buildFormalRelease(otaId, { rev: seen.rev, tenantIds: [mine] })],
      [`release/alarm/close/${rows[0]?.id}`, {}],
    ]
    for (const [path, body] of attempts) expect((await post(limited, path, body)).msg, path).toBe(BEYOND)
    expect((await limited.call('POST', `/api/v1/device/ota/ver/disable/${otaId}`)).msg).toBe(BEYOND)
    expect(await readRelease(all, otaId)).toMatchObject({ state: 0, rev: seen.rev })
  })

  test('limited staff can publish only to tenants in their data scope', async () => {
    const { otaId } = await releaseForBoth()
    const everybody = await post(limited, 'release/publish', buildFormalRelease(otaId))
    expect(everybody).toMatchObject({ code: 400, msg: '您的数据范围不包含全部客户，请选择发布的客户' })
    expect((await post(limited, 'release/publish', buildFormalRelease(otaId, { tenantIds: [others] }))).code).toBe(400)
    expect((await post(limited, 'release/publish', buildFormalRelease(otaId, { tenantIds: [mine] }))).code).toBe(200)
    expect(await readRelease(limited, otaId)).toMatchObject({ canSteer: true, tenants: [{ id: mine }] })
    expect((await post(limited, 'release/pause', { otaId })).code).toBe(200)
  })

  test('devices of other tenants on the allowlist make the release read-only for limited staff', async () => {
    const { otaId, own, foreign } = await releaseForBoth()
    expect((await white(limited, 'PUT', otaId, own)).json().code).toBe(200)
    expect((await white(all, 'PUT', otaId, foreign)).json().code).toBe(200)
    expect(await readRelease(limited, otaId)).toMatchObject({ canSteer: false, whites: 3 })
    expect((await white(limited, 'PUT', otaId, own)).json().msg).toBe(BEYOND)
    expect((await white(limited, 'DELETE', otaId, own)).json().msg).toBe(BEYOND)
  })

  test('limited staff can neither approve nor discard a waiting change that reaches other tenants', async () => {
    const { otaId } = await releaseForBoth()
    expect((await post(all, 'release/publish', buildFormalRelease(otaId, { tenantIds: [mine] }))).code).toBe(200)
    const { rev } = await readRelease(limited, otaId)
    const fields = sql`jsonb_build_object('mode', 2, 'tenantIds', ${sql.param([mine, others])}::int[], 'groupIds', '{}'::int[])`
    const pending = sql`jsonb_build_object('percent', 10000, 'plan', jsonb_build_object('fields', ${fields}, 'stages', '[]'::jsonb))`
    await server.db.execute(sql`update ota_policies set pending = ${pending} where ota_id = ${otaId}`)
    const audit = { otaId, pass: 1, remark: '', rev }
    expect((await post(limited, 'release/audit', audit)).msg).toBe(BEYOND)
    expect((await post(limited, 'release/share', { otaId, percent: 1 })).msg).toBe(BEYOND)
    const seen = await readRelease(limited, otaId)
    expect(seen).toMatchObject({ canSteer: false, pending: { lines: ['修改涉及您数据范围之外的客户'] } })
    expect((await readRelease(all, otaId)).pending?.lines.join()).toContain(String(others))
    await server.db.execute(
      sql`update ota_policies set pending = jsonb_set(pending, '{plan,fields,tenantIds}', ${JSON.stringify([mine])}::jsonb) where ota_id = ${otaId}`,
    )
    expect(await readRelease(limited, otaId)).toMatchObject({ canSteer: true })
  })
})
