import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { maskCredentials } from './limits.ts'

const oms = deviceLab()

test.each([
  ['/device/v1/storage/segment/AAAA_upload-ticket', '/device/v1/storage/segment/***'],
  ['/device/v1/storage/segment//AAAA_upload-ticket', '/device/v1/storage/segment/***'],
  ['/device/v1/ad/smil/key-of-a-player/index.smil', '/device/v1/ad/smil/***/index.smil'],
  ['/xiaozhi/otaMag/download/signed.link', '/xiaozhi/otaMag/download/***'],
  [`/device/v1/segment/${'t'.repeat(102)}`, '/device/v1/segment/***'],
  [`/ACME/controller/v1/${'S'.repeat(64)}`, `/ACME/controller/v1/${'S'.repeat(64)}`],
  [`/ACME/controller/v1/${'%E5%BA%8F'.repeat(20)}`, `/ACME/controller/v1/${'%E5%BA%8F'.repeat(20)}`],
])('the logged path of %s is %s', (path, logged) => expect(maskCredentials(path)).toBe(logged))

test('the log line of a refused upload does not contain the upload ticket', async () => {
  const ticket = 'x'.repeat(30) + 'TICKET'
  const { status } = await oms.send(`/device/v1/storage/segment/${ticket}`, { method: 'PUT', body: 'bytes' })
  expect(status).toBe(401)
  const line = oms.logs.find((text) => text.includes('wrong upload permit'))
  expect(line).toContain('/device/v1/storage/segment/***')
  expect(oms.logs.join('')).not.toContain('TICKET')
})
