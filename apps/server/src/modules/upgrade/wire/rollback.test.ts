import { describe, expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

const tasksOf = (deviceId: number) =>
  oms.query('select state, code, reason, ver_code from ota_tasks where device_id = $1 order by task_id', [deviceId])
const model = async (code: string): Promise<number> => {
  const [row] = await oms.query(
    'insert into device_models (type_id, model_name, model_code) values (1, $1, $1) returning id',
    [code],
  )
  await oms.sync()
  return row.id
}
const alarmsOf = (otaId: number) => oms.query('select kind, message from ota_alarms where ota_id = $1', [otaId])

/** Checks for an update with the plain protocol. */
const check = (sn: string, verCode: unknown, packages?: object[]) => oms.plain('check', { sn, verCode, packages })
const succeed = async (sn: string, reply: { json(): { taskId: number } }) =>
  oms.plain('report', { sn, taskId: reply.json().taskId, state: 'succeeded' })

describe('running version after a success', () => {
  test('a device that reports an older version after its success has failed and is not offered the version again', async () => {
    const [first, second] = [await oms.device({ verCode: 100 }), await oms.device({ verCode: 100 })]
    const { otaId } = await oms.version({ verCode: 200 })
    for (const { sn } of [first, second]) {
      await succeed(sn, await check(sn, 100))
      expect((await check(sn, 100)).status).toBe(204)
    }
    const reason = '回退：升级成功后，设备又报告运行版本 100'
    for (const { id } of [first, second])
      expect(await tasksOf(id)).toEqual([{ state: 110, code: 'rollback', reason, ver_code: 200 }])
    expect(await alarmsOf(otaId)).toEqual([{ kind: 4, message: `设备 ${first.sn} ${reason}` }])
    // The device had not restarted when it reported the old version.
    await check(first.sn, 200)
    expect(await tasksOf(first.id)).toMatchObject([{ state: 100, code: null, reason: '' }])
    await check(first.sn, 100)
    expect(await tasksOf(first.id)).toMatchObject([{ state: 110, code: 'rollback' }])
  })

  test('an older version in attributes or at installedBase also turns a success into a failure', async () => {
    const [first, second] = [await oms.device({ modelId: 2 }), await oms.device({ modelId: 2 })]
    await oms.version({ verCode: 200, modelId: 2 })
    for (const { root } of [first, second]) {
      const { href } = await oms.poll(root)
      const done = { status: { execution: 'closed', result: { finished: 'success' } } }
      await oms.send(`${href!.split('?')[0]}/feedback`, { method: 'POST', body: done })
    }
    await oms.send(`${first.root}/configData`, { method: 'PUT', body: { data: { verCode: '100' } } })
    await oms.send(`${second.root}/installedBase`, { method: 'PUT', body: { name: 'os', version: '100' } })
    for (const { id, root } of [first, second]) {
      expect(await tasksOf(id)).toMatchObject([{ state: 110, code: 'rollback' }])
      expect((await oms.poll(root)).href).toBeUndefined()
    }
  })

  test('a requested downgrade does not count as a rollback', async () => {
    const modelId = await model('R3')
    const { id, sn } = await oms.device({ modelId, verCode: 100 })
    const older = await oms.version({ modelId, verCode: 150 })
    await succeed(sn, await check(sn, 100))
    const { otaId } = await oms.version({ modelId, verCode: 300 })
    await succeed(sn, await check(sn, 150))
    await oms.query('update ota_versions set status = 2 where ota_id = $1', [otaId])
    const [{ task_id: taskId }] = await oms.query(
      `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state, pushed)
       values ($1, $2, 1, $3, 150, 10, true) returning task_id`,
      [older.otaId, id, modelId],
    )
    expect(taskId).toBeGreaterThan(0)
    await oms.sync()
    await check(sn, 150)
    expect(await tasksOf(id)).toMatchObject([
      { state: 100 },
      { state: 100, ver_code: 300 },
      { state: 100, ver_code: 150 },
    ])
    expect(await alarmsOf(otaId)).toEqual([])
  })

  test('a package that returns to its old version counts as rolled back, even when its report is unchanged', async () => {
    const { id, sn } = await oms.device({ verCode: 999_999 })
    await oms.version({ verCode: 20, packageName: 'app.player' })
    const old = [{ name: 'app.player', verCode: 10 }]
    await succeed(sn, await check(sn, 999_999, old))
    expect((await check(sn, 999_999, old)).status).toBe(204)
    expect(await tasksOf(id)).toMatchObject([{ state: 110, code: 'rollback', ver_code: 20 }])
  })
})
