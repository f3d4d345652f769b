import { beforeAll } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const ACTIONS = ['list', 'query', 'add', 'edit', 'remove', 'refresh', 'export']

export const DICT_PERMISSIONS = ACTIONS.map((action) => `system:systemDict:${action}`)
export const DICT_DATA_URL = '/api/v1/sys/dict/data'
export const DICT_TYPE_URL = '/api/v1/sys/dict/type'

/** Returns the request body of an entry. */
export const buildEntry = (dictType: string, value: string, more: object = {}) => ({
  dictType,
  dictLabel: `标签${value}`,
  dictValue: value,
  dictSort: 1,
  status: 1,
  ...more,
})

/** Starts the server with an account that has all dictionary permissions, and types for the test. */
export function withDicts() {
  const app = useApp()
  let made = 0
  let caller: Caller
  beforeAll(async () => {
    caller = await app.as(...DICT_PERMISSIONS)
  })
  /** Forwards each call to the administrator, which exists only while the tests run. */
  const admin: Pick<Caller, 'uid' | 'call' | 'inject'> = {
    get uid() {
      return caller.uid
    },
    call: (...args) => caller.call(...args),
    inject: (options) => caller.inject(options),
  }
  const newType = async () => {
    const dictType = `test_type_${++made}`
    const { data } = await admin.call('POST', DICT_TYPE_URL, { dictName: `测试${made}`, dictType, status: 1 })
    return { dictType, dictId: data.dictId as number }
  }
  const byType = (type: string, more = '', headers: Record<string, string> = {}) =>
    admin.inject({ method: 'GET', url: `${DICT_DATA_URL}/type/${type}${more}`, headers })
  return { app, admin, newType, byType }
}
