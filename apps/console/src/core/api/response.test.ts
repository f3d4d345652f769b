import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { handleResponse, handleEnvelope, LOGGED_OUT_TEXT } from './response.ts'
import { ApiError } from './api-error.ts'
import { relogin } from '#core/auth/relogin.ts'
import { bindToaster } from '#core/loading/toast.ts'
import { NoResponseError } from './transport.ts'

let toasts: string[] = []

beforeEach(() => {
  toasts = []
  let jar: { text: string; until: number } = { text: '', until: 0 }
  // Minimal `document.cookie` for the toasts under test.
  vi.useFakeTimers()
  vi.stubGlobal('location', { protocol: 'http:' })
  vi.stubGlobal('document', {
    get cookie() {
      return Date.now() < jar.until ? jar.text : ''
    },
    set cookie(written: string) {
      const age = Number(/max-age=(\d+)/.exec(written)?.[1])
      jar = { text: written.split(';')[0] ?? '', until: Date.now() + age * 1000 }
    },
  })
  bindToaster((level, text) => toasts.push(`${level} ${text}`))
  relogin.set(undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const answer = (status: number, body: unknown) => ({ status, body, permVersion: '', token: 't' })
const receive = (status: number, body: unknown) => {
  try {
    return handleEnvelope(answer(status, body), false)
  } catch (error) {
    return error as ApiError
  }
}

test.each([
  [200, { code: 400, msg: '编号重复' }, 'warning 编号重复'],
  [200, { code: 500, msg: 'boom' }, 'error 服务器出错!'],
  [200, { code: 501, msg: '您没有权限！' }, 'error 您没有权限！'],
  [404, undefined, 'error 网络请求不存在!'],
  [500, { code: 500, msg: 'x' }, 'error 服务器出错!'],
  [429, { code: 429, msg: '操作过于频繁，请稍后再试' }, 'error 操作过于频繁，请稍后再试'],
  [200, '<html>', 'error 服务器出错!'],
])('ERR-01 ERR-03 a response with status %s and body %o shows the message %s', (status, body, text) => {
  expect(receive(status, body)).toBeInstanceOf(ApiError)
  expect(toasts).toEqual([text])
})

test('ERR-03 status 405 shows no message, and a network failure shows a message', () => {
  receive(405, undefined)
  expect(toasts).toEqual([])
  expect(() => handleResponse(new NoResponseError('network'), false)).toThrow('网络异常')
  expect(toasts).toEqual(['error 网络异常'])
})

test('ERR-02 ERR-03 an ended session opens one login dialog, by body code or by HTTP status', () => {
  receive(200, { code: 403, msg: '账号已停用' })
  receive(401, undefined)
  expect(relogin.get()).toMatchObject({ kind: 'expired', message: '账号已停用' })
  relogin.set(undefined)
  receive(403, undefined)
  expect(relogin.get()).toMatchObject({ kind: 'ended', message: LOGGED_OUT_TEXT })
  expect(toasts).toEqual([])
})

test('ERR-04 the same error is not shown again for 5 s (HTTP failures: 3 s); a different error is always shown', () => {
  const twice = () => {
    receive(200, { code: 400, msg: '甲' })
    receive(200, { code: 400, msg: '甲' })
  }
  twice()
  receive(200, { code: 400, msg: '乙' })
  expect(toasts).toEqual(['warning 甲', 'warning 乙'])
  vi.advanceTimersByTime(5001)
  receive(500, undefined)
  vi.advanceTimersByTime(2900)
  receive(500, undefined)
  expect(toasts).toHaveLength(3)
  vi.advanceTimersByTime(200)
  receive(500, undefined)
  expect(toasts).toHaveLength(4)
})

test('an API error carries the field and data that a form needs', () => {
  const refusal = receive(200, {
    code: 400,
    msg: '重复',
    data: { field: 'name', conflict: { by: 'a', at: 'b', rev: 3 } },
  })
  expect(refusal).toMatchObject({ code: 400, field: 'name', conflict: { by: 'a', rev: 3 } })
})
