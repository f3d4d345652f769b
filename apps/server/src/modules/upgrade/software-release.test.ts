import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { registerAllowlistJob } from './allowlist.ts'
import {
  insertDevices,
  createEnabledVersion,
  buildFormalRelease,
  RELEASE_PERMISSIONS,
  insertTasks,
} from './upgrade-fixture.ts'

const server = useApp()
const SOFTWARE_RELEASER = RELEASE_PERMISSIONS.map((perms) => perms.replace('upgrade:ota', 'upgrade:GeneralSoftware'))
const REFUSED = { code: 501, msg: '您没有权限！' }
const MISSING = { code: 400, msg: '版本不存在或已被删除' }
const IN_FIRMWARE = { upgrade: '/api/v1/upgrade', device: '/api/v1/device/ota' }
const IN_SOFTWARE = { upgrade: '/api/v1/upgrade/software', device: '/api/v1/device/software' }
type Roots = typeof IN_FIRMWARE

let firmware: Caller
let software: Caller

beforeAll(async () => {
  firmware = await server.as(...RELEASE_PERMISSIONS)
  software = await server.as(...SOFTWARE_RELEASER)
})

/** Creates an enabled version of each artifact kind with three devices, one of which has a failed task. */
async function versions() {
  const found = []
  for (const kind of [1, 2]) {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    if (kind === 2)
      await server.db.execute(
        sql`update ota_versions set kind = 2, package_name = 'com.oms.voice' where ota_id = ${otaId}`,
      )
    const deviceIds = await insertDevices(server.db, { modelId, count: 3, prefix: `K${otaId}-` })
    await insertTasks(server.db, { otaId, deviceIds: deviceIds.slice(0, 1), state: 110, reason: '校验失败' })
    const { rows } = await server.db.execute<{ id: number }>(
      sql`select task_id as id from ota_tasks where ota_id = ${otaId}`,
    )
    const alarm = await server.db.execute<{ id: number }>(
      sql`insert into ota_alarms (ota_id, tenant_id, kind, message) values (${otaId}, 1, 1, '文件损坏') returning id`,
    )
    found.push({
      otaId,
      sn: `K${otaId}-00002`,
      deviceIds,
      taskId: rows[0]?.id as number,
      alarmId: alarm.rows[0]?.id as number,
    })
  }
  return found as [Version, Version]
}
interface Version {
  otaId: number
  sn: string
  deviceIds: number[]
  taskId: number
  alarmId: number
}

/** Lists every call of the release module in an order in which each call succeeds. */
const callsOf = ({ upgrade, device }: Roots, { otaId, sn, deviceIds, taskId, alarmId }: Version) =>
  [
    ['GET', `${upgrade}/release/${otaId}`],
    ['GET', `${upgrade}/release/group/list?otaId=${otaId}`],
    ['POST', `${upgrade}/release/dryRun`, { otaId }],
    ['GET', `${upgrade}/release/why?otaId=${otaId}&sn=${sn}`],
    ['GET', `${device}/device/page/inWhite?otaId=${otaId}`],
    ['GET', `${device}/device/page/notInWhite?otaId=${otaId}`],
    ['PUT', `${device}/white`, { otaId, ids: deviceIds.slice(0, 1) }],
    ['DELETE', `${device}/white?otaId=${otaId}&ids=${deviceIds[0]}`],
    ['PUT', `${device}/white/all`, { otaId }],
    ['DELETE', `${device}/white/all?otaId=${otaId}`],
    ['POST', `${upgrade}/release/publish`, buildFormalRelease(otaId, { percent: 1000 })],
    ['POST', `${upgrade}/release/share`, { otaId, percent: 2000 }],
    ['POST', `${upgrade}/release/pause`, { otaId, reason: '等一等' }],
    ['POST', `${upgrade}/release/resume`, { otaId }],
    ['GET', `${upgrade}/task?otaId=${otaId}`],
    ['GET', `${upgrade}/task/counts?otaId=${otaId}`],
    ['GET', `${upgrade}/task/failures?otaId=${otaId}`],
    ['GET', `${upgrade}/task/${taskId}`],
    ['POST', `${upgrade}/task/retry`, { otaId, taskIds: [taskId] }],
    ['POST', `${upgrade}/task/push`, { otaId, sn }],
    ['POST', `${upgrade}/release/alarm/close/${alarmId}`],
    ['POST', `${upgrade}/release/stop`, { otaId, reason: '' }],
  ] as const

describe('permissions of releases', () => {
  test('the firmware permission allows no call for software, and the software permission no call for firmware', async () => {
    const [first, second] = await versions()
    for (const [who, other, mine, roots, foreign] of [
      [firmware, software, first, IN_FIRMWARE, second],
      [software, firmware, second, IN_SOFTWARE, first],
    ] as const) {
      // First without the permission, then with the permission but with a version of the other kind.
      for (const [method, url, body] of callsOf(roots, mine))
        expect(await other.call(method, url, body), `${method} ${url}`).toMatchObject(REFUSED)
      for (const [method, url, body] of callsOf(roots, foreign)) {
        const said = await who.call(method, url, body)
        const missing = url.includes('/alarm/') ? '告警' : /\/task\/\d/.test(url) ? '升级任务' : '版本'
        expect(said, `${method} ${url}`).toMatchObject({ ...MISSING, msg: `${missing}不存在或已被删除` })
      }
    }
    for (const [who, mine, roots] of [
      [firmware, first, IN_FIRMWARE],
      [software, second, IN_SOFTWARE],
    ] as const)
      for (const [method, url, body] of callsOf(roots, mine))
        expect((await who.call(method, url, body)).code, `${method} ${url}`).toBe(200)
  })

  test('history, approval and selection lists of software packages have their own permissions', async () => {
    const [first, second] = await versions()
    await software.call('POST', `${IN_SOFTWARE.upgrade}/release/publish`, buildFormalRelease(second.otaId))
    const { rows } = await server.db.execute<{ action: string }>(sql`select action from oper_logs
      where biz_type = 'software' and biz_id = ${String(second.otaId)} and status = 1`)
    expect(rows).toEqual([{ action: '正式发布软件包版本「版本100」(com.oms.voice 100)' }])
    const block = async (who: Caller, { upgrade }: Roots, { otaId }: Version) =>
      (await who.call('GET', `${upgrade}/release/${otaId}`)).data.auditBlock
    const publisher = await server.as('upgrade:GeneralSoftware:query', 'upgrade:ota:query', 'upgrade:ota:audit')
    expect(await block(publisher, IN_SOFTWARE, second)).toBe('您没有发布审批的权限')
    expect(await block(publisher, IN_FIRMWARE, first)).toBe('')
    const { data: noted } = await firmware.call('GET', `${IN_FIRMWARE.device}/verComments`)
    const ids = (noted as Version[]).map(({ otaId }) => otaId)
    expect(ids).toContain(first.otaId)
    expect(ids).not.toContain(second.otaId)
  })

  test('exporting tasks and changing a long allowlist of a package require the permission of the package', async () => {
    registerAllowlistJob(server.services)
    const [first, second] = await versions()
    const url = `${IN_SOFTWARE.upgrade}/task/export?format=csv&otaId=`
    expect((await software.inject({ method: 'GET', url: `${url}${second.otaId}` })).body).toContain('校验失败')
    expect((await software.inject({ method: 'GET', url: `${url}${first.otaId}` })).json()).toMatchObject(MISSING)
    const { rows } = await server.db.execute<{ id: number }>(
      sql`select model_id as id from ota_versions where ota_id = ${second.otaId}`,
    )
    await server.db.execute(sql`insert into devices (tenant_id, model_id, sn)
      select 1, ${rows[0]?.id}, 'LONG-' || n from generate_series(1, 20001) n`)
    const { data } = await software.call('PUT', `${IN_SOFTWARE.device}/white/all`, { otaId: second.otaId })
    expect(data.jobId).toEqual(expect.any(Number))
    await server.services.jobs.drain()
    const job = await software.call('GET', `/api/v1/account/job/${data.jobId}`)
    expect(job.data).toMatchObject({ state: 'done', rows: 20_004 })
  }, 60_000)
})
