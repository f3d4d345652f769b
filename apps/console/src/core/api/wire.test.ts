import { expect, test } from 'vitest'
import { encodeForm, buildQueryFields, toRequestParts } from './wire.ts'

test('PAGER-04 a GET request sends arrays as repeated keys and omits empty fields', () => {
  const { url } = toRequestParts(
    { method: 'GET', path: '/api/v1/x/:id' },
    { id: 'a/b', ids: [1, 2], name: '', all: null },
  )
  expect(url).toBe('/api/v1/x/a%2Fb?ids=1&ids=2')
})

test('PAGER-04 endpoints with the body type `form` are sent form-encoded, other endpoints as JSON', () => {
  const input = { a: 1, note: '', gone: undefined }
  const form = toRequestParts({ method: 'POST', path: '/api/v1/x', body: 'form' }, input)
  expect(form).toMatchObject({ body: 'a=1&note=', contentType: 'application/x-www-form-urlencoded;charset=UTF-8' })
  const json = toRequestParts({ method: 'PUT', path: '/api/v1/x' }, input)
  expect(json).toMatchObject({ body: '{"a":1,"note":""}', contentType: 'application/json' })
})

test('an upload sends its text fields before its file', () => {
  const file = new Blob(['x'])
  const { body } = toRequestParts({ method: 'POST', path: '/api/v1/f', body: 'multipart' }, { file, purpose: 'avatar' })
  expect([...(body as FormData).keys()]).toEqual(['purpose', 'file'])
})

test('numbers and their texts give the same query string', () => {
  expect(buildQueryFields({ a: 1, b: '' }).toString()).toBe(buildQueryFields({ a: '1' }).toString())
  expect(encodeForm({ a: 1, b: '' })).toBe('a=1&b=')
})

test('endpoints with the body type `binary` send the bytes as the body and the other fields in the query', () => {
  const bytes = new Blob(['abc'])
  const route = { method: 'PUT', path: '/api/v1/file/parts/:uploadId/:index', body: 'binary' } as const
  expect(toRequestParts(route, { uploadId: 'u', index: 2, sha256: 'ff', bytes })).toEqual({
    url: '/api/v1/file/parts/u/2?sha256=ff',
    body: bytes,
    contentType: 'application/octet-stream',
  })
})
