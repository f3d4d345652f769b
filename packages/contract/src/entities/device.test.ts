import { expect, test } from 'vitest'
import { mac, pastedSns } from './device.ts'

test('pasted serial numbers and MAC addresses are read without invisible characters', () => {
  expect(pastedSns.parse('\uFEFFSN\u200B1\nSN2\u00A0')).toEqual(['SN1', 'SN2'])
  expect(pastedSns.parse(['SN\u200B1\u00A0'])).toEqual(['SN1'])
  expect(mac.parse('\u200Baa:bb:cc:\u200Bdd:ee:ff\u00A0')).toBe('aabbccddeeff')
})
