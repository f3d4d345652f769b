import type { Pool, PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { runTransaction } from './transactions.ts'

function recordingPool(failing: readonly string[] = []) {
  const seen: unknown[] = []
  const client = {
    query: async (text: string) => {
      seen.push(text)
      if (failing.includes(text)) throw new Error(`${text} failed`)
    },
    release: (broken?: Error) => seen.push(broken ? `closed: ${broken.message}` : 'released'),
  }
  return { pool: { connect: async () => client as unknown as PoolClient } as Pool, seen }
}

const refuse = () => Promise.reject(new Error('refused'))

test('runTransaction returns the result of its function after the commit', async () => {
  const { pool, seen } = recordingPool()
  expect(await runTransaction(pool, async (client) => (await client.query('work'), 7))).toBe(7)
  expect(seen).toEqual(['begin', 'work', 'commit', 'released'])
})

test('a function that throws is rolled back, and its error is thrown', async () => {
  const { pool, seen } = recordingPool()
  await expect(runTransaction(pool, refuse)).rejects.toThrow('refused')
  expect(seen).toEqual(['begin', 'rollback', 'released'])
})

test('a connection whose rollback fails is closed, and the error of the function is thrown', async () => {
  const { pool, seen } = recordingPool(['rollback'])
  await expect(runTransaction(pool, refuse)).rejects.toThrow('refused')
  expect(seen).toEqual(['begin', 'rollback', 'closed: rollback failed'])
})

test('a connection that is lost at BEGIN is returned to the pool as broken', async () => {
  const { pool, seen } = recordingPool(['begin', 'rollback'])
  await expect(runTransaction(pool, async () => 1)).rejects.toThrow('begin failed')
  expect(seen).toEqual(['begin', 'rollback', 'closed: rollback failed'])
})
