import { beforeAll, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()
const ALLOWED = 'https://app.example'
beforeAll(async () => {
  const admin = await app.by({ superAdmin: true })
  await admin.call('POST', '/api/v1/oss/appkey', { keyName: '网页版', origins: [ALLOWED] })
})

const ask = async (method: 'GET' | 'OPTIONS', url: string, origin: string) => {
  const { headers, statusCode } = await app.stranger().inject({ method, url, headers: { origin } })
  return {
    statusCode,
    origin: headers['access-control-allow-origin'],
    credentials: headers['access-control-allow-credentials'],
  }
}
const LIST = '/api/v1/oss/app/device/list'

test('STORAGE-08 web pages from an allowed origin of an enabled app key may call the API without cookies', async () => {
  expect(await ask('OPTIONS', LIST, ALLOWED)).toEqual({ statusCode: 204, origin: ALLOWED, credentials: undefined })
  expect(await ask('GET', LIST, ALLOWED)).toMatchObject({ origin: ALLOWED, credentials: undefined })
  expect((await ask('GET', `/api/v1/oss/play/${'a'.repeat(60)}/index.m3u8`, ALLOWED)).origin).toBe(ALLOWED)
})

test('responses to other origins and on other paths have no CORS headers', async () => {
  expect((await ask('OPTIONS', LIST, 'https://evil.example')).origin).toBeUndefined()
  expect((await ask('GET', LIST, `https://${'a'.repeat(5000)}`)).origin).toBeUndefined()
  expect((await ask('GET', '/api/v1/oss/device/page', ALLOWED)).origin).toBeUndefined()
})
