import { expect, test } from 'vitest'
import { findAddressSecret, maskAddressSecrets } from './address-secret.ts'

test.each([
  ['http://u:PW@203.0.113.5/v1', '用户名和密码', 'http://******@203.0.113.5/v1'],
  ['https://token@example.com/', '用户名和密码', 'https://******@example.com/'],
  ['http://u:p@w@example.com/', '用户名和密码', 'http://******@example.com/'],
  ['wss://example.com/a?x=1&key=K1', '参数 key', 'wss://example.com/a?x=1&key=******'],
  ['https://example.com/?api_key=K1&x=2', '参数 api_key', 'https://example.com/?api_key=******&x=2'],
  ['https://example.com/?accessToken=K1', '参数 accessToken', 'https://example.com/?accessToken=******'],
  ['https://example.com/?access_token=K1', '参数 access_token', 'https://example.com/?access_token=******'],
  ['https://example.com/?TOKEN=K1', '参数 TOKEN', 'https://example.com/?TOKEN=******'],
  ['https://example.com/?secret=K1#a', '参数 secret', 'https://example.com/?secret=******#a'],
  ['https://example.com/?%6bey=K1', '参数 key', 'https://example.com/?%6bey=******'],
  ['https://example.com/#x-api-key=K1', '参数 x-api-key', 'https://example.com/#x-api-key=******'],
])('AGENT-06 the credential in the URL %s is found and masked', (address, secret, masked) => {
  expect(findAddressSecret(address)).toBe(secret)
  expect(maskAddressSecrets(`修改 ${address} 结束`)).toBe(`修改 ${masked} 结束`)
})

test.each(['u:pw@example.com:8080', 'example.com/v1?key=K1'])(
  'AGENT-06 the credential in %s, a URL without a scheme, is found',
  (address) => expect(findAddressSecret(address)).toBeDefined(),
)

test.each([
  'https://newsnow.busiyi.world/api/s?id=',
  'https://example.com/v1/chat?model=key&sort_key=name&keyword=a',
  'https://example.com/a@b/c?mail=a@b.cn',
  'https://example.com/v1?key=',
  '10.0.0.1',
])('AGENT-06 the URL %s contains no credential', (address) => {
  expect(findAddressSecret(address)).toBeUndefined()
  expect(maskAddressSecrets(address)).toBe(address)
})

test('AGENT-06 masking keeps a text without a URL unchanged', () => {
  expect(maskAddressSecrets('每日 a?key=1，mail a@b.cn')).toBe('每日 a?key=1，mail a@b.cn')
})
