import { beforeEach, describe, expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

/** Creates a device with a fetched task and returns the path for its reports. */
async function fetched() {
  const { root, sn, id } = await oms.device()
  await oms.version()
  const { taskId, href } = await oms.poll(root)
  await oms.send(href!)
  return { root, sn, id, taskId, path: `${root}/deploymentBase/${taskId}/feedback` }
}
const closed = (status: object) => ({ id: '1', status: { execution: 'closed', ...status } })
const logOf = async (taskId: number): Promise<string> =>
  (await oms.query('select details from ota_task_logs where task_id = $1 order by id', [taskId]))
    .flatMap(({ details }) => details)
    .join('\n')

const SUCCESS = JSON.stringify(closed({ result: { finished: 'success' }, details: ['SWUPDATE successful !'] }))

describe('a report that cannot be parsed completely', () => {
  test('a truncated success report does not count as a success and is stored as raw text', async () => {
    const { taskId, path, id } = await fetched()
    for (let end = 1; end < SUCCESS.length; end += 7) {
      expect((await oms.post(path, SUCCESS.slice(0, end))).status).toBe(200)
      expect((await oms.taskRow(taskId)).state).toBe(10)
    }
    expect(await oms.taskRow(taskId)).toMatchObject({ reason: expect.stringContaining('无法完整读取') })
    expect(await logOf(taskId)).toContain(SUCCESS.slice(0, 50))
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 100 }])
    // The device repeats the complete report.
    expect((await oms.post(path, SUCCESS)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 100, reason: '' })
  })

  test.each([
    ['result is null', closed({ result: null })],
    ['result is missing', closed({})],
    ['finished is null', closed({ result: { finished: null } })],
    ['finished is an unknown word', closed({ result: { finished: 'perhaps' } })],
    ['execution is unknown', { status: { execution: 'done', result: { finished: 'success' } } }],
    ['quotes inside quotes', '{"status":{"execution":"closed","result":{"finished":"success"},"details":["a "b" c"]}}'],
  ])('a report changes no task state: %s', async (_, body) => {
    const { taskId, path } = await fetched()
    expect((await oms.post(path, body)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 10, reason: expect.stringContaining('无法完整读取') })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    expect(await logOf(taskId)).toContain(text.slice(0, 60))
  })

  test('an unreadable report fails the task when its readable part reports a failure', async () => {
    for (const end of ['"fail', '"failure', '"failure"', '"failure"},"details":["no such "x" found","y']) {
      const { taskId, path } = await fetched()
      const body = `{"id":"N","status":{"execution":"closed","result":{"finished":${end}`
      expect((await oms.post(path, body)).status).toBe(200)
      expect((await oms.taskRow(taskId)).state).toBe(110)
      expect(await logOf(taskId)).toContain(body)
    }
  })

  test('an unreadable report does not complete a cancellation', async () => {
    const { root, taskId } = await fetched()
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    const path = `${root}/cancelAction/${taskId}/feedback`
    for (const body of [closed({ result: null }), SUCCESS.slice(0, 60), '{"status":{"execution":"clo'])
      expect((await oms.post(path, body)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(50)
    expect((await oms.post(path, SUCCESS)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(120)
  })

  test('an unreadable report is not treated as a skipped maintenance window', async () => {
    const { taskId, path } = await fetched()
    const { SKIPPED_TEXT } = await import('../maintenance-window.ts')
    await oms.query('insert into ota_task_logs (task_id, state, details) values ($1, 10, $2)', [taskId, [SKIPPED_TEXT]])
    await oms.post(path, closed({ result: null }))
    expect((await oms.taskRow(taskId)).state).toBe(10)
  })
})

describe('failure report', () => {
  test.each([
    ['an unsigned 32-bit code', 4_294_967_295, '4294967295'],
    ['a fractional code', 1.5, '1.5'],
    ['a negative code', -1, '-1'],
    ['a code of a size of its own', 1e30, '1e+30'],
    ['a code in words', 'E_NOSPC', 'E_NOSPC'],
    ['an object as code', { no: 1 }, null],
  ])('a failure report with %s fails the task and stores the code', async (_, code, kept) => {
    const { taskId, path } = await fetched()
    expect((await oms.post(path, closed({ code, result: { finished: 'failure' } }))).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 110, code: kept })
  })

  test.each([
    ['finished error', closed({ result: { finished: 'error' } })],
    ['finished FAILED', closed({ result: { finished: 'FAILED' } })],
    ['execution failed', { status: { execution: 'failed', result: { finished: 'none' } } }],
    ['execution error without a result', { status: { execution: 'error' } }],
    ['an unknown execution with a failure', { status: { execution: 'finished', result: { finished: 'failure' } } }],
    ['no execution', { status: { result: { finished: 'failure' } } }],
    ['endless progress', closed({ result: { finished: 'failure', progress: { cnt: 1e308, of: 1e-308 } } })],
  ])('a failure report with other words fails the task: %s', async (_, body) => {
    const { taskId, path } = await fetched()
    expect((await oms.post(path, body)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(110)
  })

  test('a failure report whose details are objects stores their content as the reason', async () => {
    const { taskId, path } = await fetched()
    await oms.post(path, closed({ result: { finished: 'failure' }, details: [{ error: 'no space', free: 3 }] }))
    expect((await oms.taskRow(taskId)).reason).toBe('{"error":"no space","free":3}')
  })

  test('a failure report with very deeply nested details fails the task', async () => {
    const { taskId, path } = await fetched()
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
    const body = `{"status":{"execution":"closed","result":{"finished":"failure"},"details":${deep}}}`
    expect((await oms.post(path, body)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(110)
  })

  test('a failure report longer than the limit fails the task', async () => {
    const { taskId, path } = await fetched()
    const body = closed({
      result: { finished: 'failure' },
      details: Array.from({ length: 4000 }, () => 'x'.repeat(90)),
    })
    expect((await oms.post(path, body)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(110)
  })
})

describe('report of the plain protocol', () => {
  const bearer = { token: null, headers: { authorization: `Bearer token-of-one-device-0123456789ab` } }
  const raw = (text: string) => oms.post('/device/v1/report', text, bearer)

  test('a truncated report is no success, and is a failure when its readable part reports one', async () => {
    const { taskId, sn } = await fetched()
    expect((await raw(`{"sn":"${sn}","taskId":${taskId},"state":"succeeded"`)).status).toBe(400)
    expect((await raw(`{"sn":"${sn}","taskId":${taskId},"state":"succeeded"}}}`)).status).toBe(400)
    expect((await raw(`{"sn":"${sn}","taskId":${taskId},"state":"succ`)).status).toBe(400)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 10, reason: expect.stringContaining('无法完整读取') })
    expect(await logOf(taskId)).toContain(`"state":"succ`)
    expect((await raw(`{"sn":"${sn}","taskId":${taskId},"state":"fai`)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(110)
  })

  test.each([
    ['an unsigned 32-bit code', { state: 'failed', code: 4_294_967_295 }, { state: 110, code: '4294967295' }],
    ['a fractional code', { state: 'failed', code: 1.5 }, { state: 110, code: '1.5' }],
    ['another word for a failure', { state: 'error' }, { state: 110 }],
    ['an object as message', { state: 'failed', message: { e: 5 } }, { state: 110, reason: '{"e":5}' }],
  ])('a plain report with %s fails the task and stores its fields', async (_, fields, expected) => {
    const { taskId, sn } = await fetched()
    expect((await oms.plain('report', { sn, taskId, ...fields })).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject(expected)
  })
})

test('an installedBase for a package sets the package version; an unknown package name changes nothing', async () => {
  const { root, id } = await oms.device()
  await oms.version({ verCode: 9, packageName: 'com.oms.app' })
  const put = (name: string) => oms.put(`${root}/installedBase`, { name, version: '9' })
  expect((await put('com.oms.app')).status).toBe(201)
  expect((await put('com.oms.app')).status).toBe(200)
  expect((await put('bootloader')).status).toBe(400)
  expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 100 }])
  expect(await oms.query('select package_name, ver_code from device_packages where device_id = $1', [id])).toEqual([
    { package_name: 'com.oms.app', ver_code: 9 },
  ])
  expect((await put('固件')).status).toBe(201)
  expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 9 }])
})

test('configData and check accept the name of a version', async () => {
  const [one, two] = [await oms.device(), await oms.device()]
  await oms.version({ verCode: 2060, policy: { mode: 1 } })
  await oms.version({ verCode: 31, packageName: 'com.oms.named' })
  await oms.query(`update ota_versions set ver_name = '2.6.0-rc1+build5' where ver_code = 2060`)
  const codeOf = async ({ id }: { id: number }) =>
    (await oms.query('select ver_code from devices where id = $1', [id]))[0].ver_code
  await oms.put(`${one.root}/configData`, { data: { verCode: '2.6.0-rc1+build5' } })
  expect(await codeOf(one)).toBe(2060)
  await oms.put(`${one.root}/configData`, { data: { verCode: '0100' } })
  expect(await codeOf(one)).toBe(100)
  await oms.put(`${one.root}/configData`, { data: { verCode: 'v0' } })
  expect(await codeOf(one)).toBe(100)
  const packages = [{ name: 'com.oms.named', verCode: 'v31' }]
  expect((await oms.plain('check', { sn: two.sn, verCode: '2.6.0-rc1+build5', packages })).status).toBe(204)
  expect(await codeOf(two)).toBe(2060)
  expect(await oms.query('select ver_code from device_packages where device_id = $1', [two.id])).toEqual([
    { ver_code: 31 },
  ])
  expect((await oms.plain('check', { sn: two.sn, verCode: 'v0' })).status).toBe(400)
})

test('a report of maximum length with one repeated character is parsed in linear time', async () => {
  const { path } = await fetched()
  for (const each of [']', '"', '{', '[', ' ', '\\', ',', '\n', '\u0000', '",']) {
    const text = `{"status":{"execution":"closed","details":[${each.repeat(255_000 / each.length)}x`
    const began = performance.now()
    expect((await oms.post(path, text)).status).toBe(200)
    // A quadratic algorithm would take half a minute here.
    expect(performance.now() - began).toBeLessThan(5000)
  }
})
