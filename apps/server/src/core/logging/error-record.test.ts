import { expect, test } from 'vitest'
import { toErrorRecord } from './logger.ts'

/** Copies an error as the job queue does before it reports the error. */
const copied = (error: Error, over: object = {}) => ({ ...error, message: error.message, stack: error.stack, ...over })

test('FAULT the log record of a copied error contains its message, class, stack and queue', () => {
  const record = toErrorRecord(copied(new TypeError('timeout exceeded when trying to connect'), { queue: 'mail' }))
  expect(record).toMatchObject({
    type: 'TypeError',
    message: 'timeout exceeded when trying to connect',
    queue: 'mail',
    stack: expect.stringContaining('error-record.test.ts'),
  })
})

test('FAULT the log record of a query error contains no SQL parameters', () => {
  const error = Object.assign(new Error('Failed query: select $1\nparams: 秘密'), {
    query: 'select $1',
    params: ['秘密'],
    cause: Object.assign(new Error('invalid input syntax: "秘密"'), { code: '22P02', detail: '秘密' }),
  })
  const record = toErrorRecord(copied(error))
  expect(record).toMatchObject({ type: 'Error', message: 'Failed query: select $1', cause: { code: '22P02' } })
  expect(JSON.stringify(record)).not.toContain('秘密')
})

test('FAULT a thrown string becomes the message, and other thrown values are described by type', () => {
  expect(toErrorRecord('no queue\nparams: 秘密')).toEqual({ type: 'string', message: 'no queue' })
  expect(toErrorRecord({ a: 1 })).toEqual({ type: 'object', message: 'a value that is not an error was thrown' })
  expect(toErrorRecord(undefined)).toMatchObject({ type: 'undefined' })
})
