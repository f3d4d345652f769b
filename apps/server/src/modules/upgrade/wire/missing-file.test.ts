import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

test('a missing file opens one alarm, is the reason of the task, and ends repeated downloads with 404', async () => {
  const [first, second] = [await oms.device(), await oms.device()]
  const { otaId, componentId, fileName, bytes } = await oms.version()
  await oms.services.files.remove(createHash('sha256').update(bytes).digest('hex'))
  oms.side.holdMs = 0
  const { taskId } = await oms.poll(first.root)
  const get = async ({ root }: { root: string }) => {
    await oms.poll(root)
    return oms.send(`${root}/softwaremodules/${componentId}/artifacts/${fileName}`).catch(() => 'interrupted')
  }
  const replies = []
  for (let n = 0; n < 6; n++) replies.push(await get(first))
  expect(replies.slice(0, 4)).toEqual(Array(4).fill('interrupted'))
  expect(replies.slice(4)).toMatchObject([{ status: 404 }, { status: 404 }])
  expect(await get(second)).toBe('interrupted')
  const reason = '服务器上缺少组件「固件」的文件'
  expect(await oms.taskRow(taskId)).toMatchObject({ state: 10, reason })
  expect(await oms.query('select kind, message from ota_alarms where ota_id = $1', [otaId])).toEqual([
    { kind: 1, message: `${reason}，设备无法下载` },
  ])
  expect(oms.logs.filter((line) => line.includes('component file is missing'))).toHaveLength(7)
  const failure = { execution: 'closed', result: { finished: 'failure' }, details: ['HTTP 404'] }
  await oms.post(`${first.root}/deploymentBase/${taskId}/feedback`, { status: failure })
  expect(await oms.taskRow(taskId)).toMatchObject({ state: 110, reason })
})
