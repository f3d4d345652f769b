import { expect, test } from 'vitest'
import { listCookiesToRemove, readCredentials } from './credentials.ts'

const JAR =
  'oms_token=t1; oms_uid=7; oms_account=demo; oms_username=demo; oms_codeType=1; oms_password=; oms_ownerId=3; sidebarStatus=0'

test('GUARD-05 ending a session removes its cookies and keeps account, user name, code type and password', () => {
  expect(listCookiesToRemove(JAR)).toEqual(['oms_token', 'oms_uid', 'oms_ownerId'])
})

test('GUARD-04 a session is restored from the cookies', () => {
  expect(readCredentials(JAR)).toMatchObject({ token: 't1', uid: 7, account: 'demo', ownerId: '3' })
  expect(readCredentials('oms_account=demo')).toBeUndefined()
})
