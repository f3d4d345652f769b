import { expect, test } from 'vitest'
import { mac, pastedSns } from './device-fields.ts'

test('pasted serial numbers and MAC addresses are read without invisible characters', () => {
  expect(pastedSns.parse('\uFEFFSN\u200B1\nSN2\u00A0')).toEqual(['SN1', 'SN2'])
  expect(pastedSns.parse(['SN\u200B1\u00A0'])).toEqual(['SN1'])
  expect(mac.parse('02 00 00 00 91 0A')).toBe('02000000910a')
  expect(mac.parse('\u200Baa:bb:cc:\u200Bdd:ee:ff\u00A0')).toBe('aabbccddeeff')
})

test.each([
  [undefined, '请输入MAC'],
  ['', '请输入MAC'],
  [' \u200B', '请输入MAC'],
  ['00:11', 'MAC格式不正确，应为12位十六进制'],
  ['00:11:22:33:44:5g', 'MAC格式不正确，应为12位十六进制'],
])('the MAC address %j gives the message %s', (value, message) => {
  const { error } = mac.safeParse(value)
  expect(error?.issues[0]?.message).toBe(message)
})
