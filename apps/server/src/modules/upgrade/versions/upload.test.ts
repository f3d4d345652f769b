import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { computeDigests, FIRMWARE_PERMISSIONS, uploadComponent } from './version-fixture.ts'

const server = useApp()
const editor = () => server.as(...FIRMWARE_PERMISSIONS)

describe('uploading', () => {
  test('OTA-08 OTA-09 the server computes size and digests of an uploaded file; its type defaults to 1', async () => {
    const me = await editor()
    const bytes = randomBytes(100_000)
    const { code, msg, data } = await uploadComponent(me, bytes, '固件 v1.bin')
    expect({ code, msg }).toEqual({ code: 200, msg: '组件上传成功' })
    expect(data).toEqual({
      name: '固件 v1.bin',
      type: 1,
      url: expect.stringMatching(/^\/api\/v1\/file\/[0-9a-f]{32}$/),
      ...computeDigests(bytes),
    })
  })

  test('OTA-09 a file of 300 MB is accepted, and a file with one more byte is refused with its message', async () => {
    const me = await editor()
    const limit = 300 * 1024 * 1024
    const bytes = Buffer.alloc(limit + 1, 'oms')
    const refusal = { code: 400, msg: '组件不可超过300mb,请重新选择上传', data: { field: 'file' } }
    expect(await uploadComponent(me, bytes)).toEqual(refusal)
    expect(await uploadComponent(me, bytes.subarray(0, limit))).toMatchObject({ code: 200, data: { size: limit } })
  }, 60_000)

  test('OTA-09 an empty file and a request without a file are refused', async () => {
    const me = await editor()
    expect(await uploadComponent(me, Buffer.alloc(0))).toMatchObject({ code: 400, data: { field: 'file' } })
    const reply = await me.inject({ method: 'POST', url: '/api/v1/device/ota/upload', payload: {} })
    expect(reply.json()).toMatchObject({ code: 400, data: { field: 'file' } })
  })

  test('an upload with an incomplete body is refused and stores nothing', async () => {
    const me = await editor()
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="cut.bin"\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const payload of [head, `${head}\r\n${'x'.repeat(100_000)}`]) {
      const reply = await me.inject({ method: 'POST', url: '/api/v1/device/ota/upload', headers, payload })
      expect(reply.json()).toMatchObject({ code: 400 })
    }
    const { rows } = await server.services.database.pool.query(`select 1 from files where name = 'cut.bin'`)
    expect(rows).toEqual([])
  })

  test('OTA-10 uploading a component requires the permission upgrade:ota:uploadComp', async () => {
    const without = await server.as(...FIRMWARE_PERMISSIONS.filter((permission) => !permission.endsWith('uploadComp')))
    expect(await uploadComponent(without, randomBytes(10))).toMatchObject({ code: 501, msg: '您没有权限！' })
  })
})
