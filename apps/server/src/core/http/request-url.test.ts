import { expect, test } from 'vitest'
import { normalizeUrl, readDeviceUrl } from './request-log.ts'

test.each([
  ['/DEFAULT/controller/v1/SN?a=//b', '/DEFAULT/controller/v1/SN?a=//b'],
  ['//DEFAULT/controller/v1//SN', '/DEFAULT/controller/v1/SN'],
  ['/DEFAULT/Controller/V1/Sn', '/DEFAULT/controller/v1/Sn'],
  ['http://oms:8080/DEFAULT/controller/v1/SN', '/DEFAULT/controller/v1/SN'],
  ['HTTPS://oms//xiaozhi/ota/?x=1', '/xiaozhi/ota/?x=1'],
  ['/XiaoZhi', '/xiaozhi/'],
  ['/DEFAULT/%63ontroller/v%31/S%2FN%20%2563?a=%63', '/DEFAULT/controller/v1/S%2FN%20%2563?a=%63'],
  ['/%58iaozhi/ot%61/', '/xiaozhi/ota/'],
  ['/Device/v1?x', '/device/v1/?x'],
  ['/controller/v1/', '/controller/v1/'],
])('the URL %s is normalised to the device call %s', (url, call) => {
  expect(readDeviceUrl(normalizeUrl(url))).toBe(call)
})

test.each(['/', '/device/v10/x', '/a/b/controller/v1/SN', '/a/device/v1/x', '/a?/controller/v1/', 'http://oms', '*'])(
  'the URL %s is not a device call',
  (url) => {
    expect(readDeviceUrl(normalizeUrl(url))).toBeUndefined()
  },
)

test('a URL without a path is normalised to the path /', () => {
  expect(['http://oms', 'http://oms?a=1', '//', '*'].map(normalizeUrl)).toEqual(['/', '/?a=1', '/', '*'])
})
