import { expect, test } from 'vitest'
import { toFetched, findDownloadText, parseFileName } from './download.ts'

test.each([
  [401, '', '认证失败，无法访问系统资源'],
  [403, 'x', '当前操作没有权限'],
  [404, '', '访问资源不存在'],
  [501, '您没有权限！', '您没有权限！'],
  [500, '', '系统未知错误，请反馈给管理员'],
])('DOWNLOAD-02 a refused download with code %s and message "%s" shows %s', (code, msg, text) =>
  expect(findDownloadText(code, msg)).toBe(text),
)

test('a download uses the UTF-8 file name of the header before the plain file name', () => {
  expect(parseFileName(`attachment; filename="a.xlsx"; filename*=UTF-8''%E8%AE%BE.xlsx`)).toBe('设.xlsx')
  expect(parseFileName('attachment; filename="a b.zip"')).toBe('a b.zip')
  expect(parseFileName(null)).toBeUndefined()
})

test('a large export returns the id of its background job', () => {
  expect(toFetched(200, { code: 200, msg: '已转为后台导出', data: { jobId: 7 } })).toEqual({
    kind: 'later',
    jobId: 7,
    message: '已转为后台导出',
  })
})

test('DOWNLOAD-02 a refused export shows its reason', () => {
  expect(toFetched(200, { code: 403 })).toEqual({ kind: 'refused', message: '当前操作没有权限' })
  expect(toFetched(404, {})).toEqual({ kind: 'refused', message: '访问资源不存在' })
  expect(toFetched(200, { code: 501, msg: '一次最多导出2000000条' })).toMatchObject({
    message: '一次最多导出2000000条',
  })
  expect(toFetched(500, {})).toMatchObject({ message: '系统未知错误，请反馈给管理员' })
})
