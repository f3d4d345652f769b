import { describe, expect, test } from 'vitest'
import { withoutSecrets } from './draft.ts'

test('a draft never holds a password, wherever it is', () => {
  const typed = { title: 'a', password: 'p', rows: [{ oldPswdMd5: 'x', note: 'n' }], captcha: '1', verCode: '12' }
  expect(withoutSecrets(typed)).toEqual({ title: 'a', rows: [{ note: 'n' }], verCode: '12' })
})

describe('what a draft leaves out is what lets somebody in, by its name', () => {
  test.each([
    ['newPassword', 'pswdMd5', 'initialPwd', 'clientSecret', 'captchaId', 'totp', 'otp', 'ticket', 'gatewayToken'],
    ['verificationCode', 'verifyCode', 'smsCode', 'resetCode', 'mfaCode', 'recoveryCodes', 'one_time_code'],
    ['apiKey', 'privateKey', 'licenseKey', 'passphrase'],
  ])('%s and its like', (...fields) => {
    expect(withoutSecrets(Object.fromEntries(fields.map((field) => [field, 'x'])))).toEqual({})
  })

  test('codes and keys of the business stay, and so do switches', () => {
    const kept = { verCode: '12', roleCode: 'a', sceneCode: 'b', typeCode: 'c', postcode: 'd', code: 'e', dictKey: 'f' }
    const more = { pwdMustChange: true, maxTokens: '100', ticketTypes: ['1'], issueTickets: 'x', joinCode: 'abc' }
    expect(withoutSecrets({ ...kept, ...more })).toEqual({ ...kept, ...more })
  })
})
