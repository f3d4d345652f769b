import { expect, test } from 'vitest'
import { withoutSecrets } from './draft.ts'

test('a draft never holds a password, wherever it is', () => {
  const typed = { title: 'a', password: 'p', rows: [{ oldPswdMd5: 'x', note: 'n' }], captcha: '1', verCode: '12' }
  expect(withoutSecrets(typed)).toEqual({ title: 'a', rows: [{ note: 'n' }], verCode: '12' })
})
