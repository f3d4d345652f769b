import { expect, test } from 'vitest'
import { mobileNo } from './account-fields.ts'

test.each([
  '13800000001',
  '+86 13800000001',
  '8613800000001',
  '86-19900000001',
  '+852 91234567',
  '852-91234567',
  '+14155550123',
])('the mobile number %s is accepted', (number) => expect(mobileNo.safeParse(number).success).toBe(true))

test.each(['12345', '1390000', '12800000001', '138000000011', '91234567', '+86 12345678', '+8613800', 'abc'])(
  'the mobile number %s is refused with a message that names the accepted forms',
  (number) => expect(mobileNo.safeParse(number).error?.issues[0]?.message).toContain('应为11位手机号'),
)

test.each([
  ['\u202d13910010999\u202c', '13910010999'],
  ['\u200b139 1001 0999 ', '13910010999'],
  ['139-1001-0999', '13910010999'],
  [' +852\u00a091234567', '+852 91234567'],
])('the pasted mobile number %j is stored as %s', (pasted, stored) => expect(mobileNo.parse(pasted)).toBe(stored))
