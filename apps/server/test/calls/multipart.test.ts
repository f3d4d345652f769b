import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
let admin: Caller
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const field = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name: string, content: string) =>
  `--x\r\ncontent-disposition: form-data; name="file"; ${name}\r\n\r\n${content}\r\n`

async function send(url: string, ...parts: string[]) {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  return (await admin.inject({ method: 'POST', url, headers, payload: `${parts.join('')}--x--\r\n` })).json()
}

const DEVICES = '/api/v1/device/info/import'
const uploads = modules
  .flatMap(({ contract }) => Object.values(contract) as Endpoint[])
  .filter(({ body }) => body === 'multipart')

test.each(uploads)(
  '$path refuses a field after the file, and the error names the field',
  async ({ path, input, file: rule }) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    const keys = Object.keys(properties)
    const late = keys.at(-1) ?? 'remark'
    for (const bytes of [1000, 200_000]) {
      const name = `filename="late.${rule?.extensions[0] ?? 'txt'}"`
      const refused = await send(path, file(name, 'a'.repeat(bytes)), field(late, '1'))
      // Calls with required fields name the first missing field.
      expect(refused).toMatchObject({
        code: 400,
        data: { field: expect.stringMatching(`^(${[...keys, late].join('|')})$`) },
      })
    }
  },
)

test('a dry run whose field follows a large table imports nothing', async () => {
  const lines = Array.from({ length: 1500 }, (_, at) => `LATE-${at},${'名'.repeat(20)}`)
  const table = file('filename="d.csv"', ['序列号,设备名称', ...lines].join('\n'))
  const refused = { code: 400, msg: '请把字段「dryRun」放在文件之前', data: { field: 'dryRun' } }
  expect(Buffer.byteLength(table)).toBeGreaterThan(64 * 1024)
  expect(await send(DEVICES, table, field('dryRun', '1'))).toEqual(refused)
  expect(await send(DEVICES, field('update', '0'), table, field('dryRun', '1'))).toEqual(refused)
  expect((await admin.call('GET', '/api/v1/device/info/page?sn=LATE')).data.total).toBe(0)
})

test('a field that is sent twice is refused, and the error names the field', async () => {
  const refused = await send(
    DEVICES,
    field('dryRun', '1'),
    field('dryRun', '0'),
    file('filename="d.csv"', '序列号\nA\n'),
  )
  expect(refused).toMatchObject({ code: 400, data: { field: 'dryRun' } })
})

test('a second file is refused', async () => {
  const table = file('filename="d.csv"', '序列号\nA\n')
  expect(await send(DEVICES, field('dryRun', '1'), table, table)).toMatchObject({
    code: 400,
    msg: '一次只能上传一个文件',
  })
})

test.each([
  `filename="=?utf-8?B?5L2g?="; filename*=utf-8''%E6%89%8B%E5%86%8C%20+%3B.pdf`,
  `filename="__.pdf"; filename*="UTF-8''%E6%89%8B%E5%86%8C%20+%3B.pdf"`,
  `filename*=UTF-8'zh'%E6%89%8B%E5%86%8C%20+%3B.pdf; filename="__.pdf"`,
  `filename*=UTF-8''..%2F%E6%89%8B%E5%86%8C%20+%3B.pdf`,
])('the name of %s is the name in filename*', async (name) => {
  const text = `%PDF-1.4\nContent-Disposition: form-data; filename*=UTF-8''other.exe`
  const saved = await send('/api/v1/file/upload', field('purpose', 'file'), file(name, text))
  expect(saved).toMatchObject({ code: 200, data: { name: '手册 +;.pdf' } })
})

test.each([
  `filename="a.pdf"`,
  `filename="a.pdf"; filename*=UTF-8''%E6%89`,
  `filename="a.pdf"; filename*=KOI8-R''b.pdf`,
])('the name of %s is the name in filename', async (name) => {
  const text = `%PDF-1.4\nContent-Disposition: form-data; filename*=UTF-8''other.exe`
  const saved = await send('/api/v1/file/upload', field('purpose', 'file'), file(name, text))
  expect(saved).toMatchObject({ code: 200, data: { name: 'a.pdf' } })
})
