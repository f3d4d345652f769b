import { expect, test } from 'vitest'
import { otaAllowlist } from './upgrade-allowlist.ts'

test.each(['\uFEFFSN\u200B1\nSN2\u00A0', ['SN\u200B1\u00A0', '\uFEFFSN2']])(
  'serial numbers of an allowlist are read without invisible characters: %j',
  (sns) => expect(otaAllowlist.put.input.parse({ otaId: 1, sns }).sns).toEqual(['SN1', 'SN2']),
)
