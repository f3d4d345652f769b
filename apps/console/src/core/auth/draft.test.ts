import { describe, expect, test } from 'vitest'
import { formatDraftKey, removeSecrets } from './draft.ts'

test('drafts of the same form in different tenants have different keys', () => {
  expect(formatDraftKey(7, '1', 'notice:new')).not.toBe(formatDraftKey(7, '3', 'notice:new'))
  expect(formatDraftKey(7, '3', 'notice:new')).not.toBe(formatDraftKey(8, '3', 'notice:new'))
})

test('a draft never contains a password, at any depth', () => {
  const typed = { title: 'a', password: 'p', rows: [{ oldPswdMd5: 'x', note: 'n' }], captcha: '1', verCode: '12' }
  expect(removeSecrets(typed)).toEqual({ title: 'a', rows: [{ note: 'n' }], verCode: '12' })
})

describe('a draft omits fields whose names are names of credentials', () => {
  test.each([
    ['newPassword', 'pswdMd5', 'initialPwd', 'clientSecret', 'captchaId', 'totp', 'otp', 'ticket', 'gatewayToken'],
    ['verificationCode', 'verifyCode', 'smsCode', 'resetCode', 'mfaCode', 'recoveryCodes', 'one_time_code'],
    ['apiKey', 'privateKey', 'licenseKey', 'passphrase'],
  ])('fields such as %s are omitted', (...fields) => {
    expect(removeSecrets(Object.fromEntries(fields.map((field) => [field, 'x'])))).toEqual({})
  })

  test('a draft keeps business codes, business keys and switches', () => {
    const kept = { verCode: '12', roleCode: 'a', sceneCode: 'b', typeCode: 'c', postcode: 'd', code: 'e', dictKey: 'f' }
    const more = { pwdMustChange: true, maxTokens: '100', ticketTypes: ['1'], issueTickets: 'x', joinCode: 'abc' }
    expect(removeSecrets({ ...kept, ...more })).toEqual({ ...kept, ...more })
  })
})
