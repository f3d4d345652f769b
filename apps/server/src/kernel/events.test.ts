import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('whoever waits for what was published has heard it, however many wait at once, by one question at a time', async () => {
  const { events } = app.kernel
  const heard = new Set<string>()
  const stop = events.on('changed', ({ resource }) => void heard.add(resource))
  const one = async (_: unknown, at: number) => {
    await events.publish(app.db, 'changed', { resource: `r${at}`, tenantId: null })
    await events.caughtUp()
    return heard.has(`r${at}`)
  }
  expect(await Promise.all(Array.from({ length: 40 }, one))).toEqual(Array.from({ length: 40 }, () => true))
  stop()
})
